from harness.core.configuration.conf_files import names
from harness.testing import TemperatureConformance


class TestTemperatures(TemperatureConformance):
    names = names("temperature")
