from .export import Tracking as Tracking
from .export import describe_tracker as describe_tracker
from .export import track as track
from .export import tracker_of as tracker_of
from .export import update as update
from .mlflow import MLflow as MLflow
