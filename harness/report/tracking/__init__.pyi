from .export import Tracking as Tracking
from .export import describe as describe
from .export import export_all as export_all
from .export import finished as finished
from .export import track as track
from .export import tracker as tracker
from .export import tracker_of as tracker_of
from .mlflow import MLflow as MLflow
