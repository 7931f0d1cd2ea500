from harness.core.configuration import names
from harness.testing import TemperatureConformance


class TestTemperatures(TemperatureConformance):
    names = names("temperature")
