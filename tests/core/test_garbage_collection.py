import subprocess
import sys

SCRIPT = """
import gc
from harness.core.garbage_collection import collect_rarely
class Closed:
    def __del__(self): print("freed")
before = gc.get_threshold()[0]
collect_rarely()
print(gc.get_threshold()[0] > 100 * before)
alone = Closed()
del alone
print("ends")
"""


def test_what_no_cycle_holds_is_freed_at_once_and_the_collector_waits() -> None:
    told = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["True", "freed", "ends"]
