"""The package's version: the same as the npm package's, which a test holds it to."""

__version__ = "0.1.0"
