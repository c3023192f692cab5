"""Fixtures of pytest: `app_store`, a store for each test, whose server starts once for the run, or for each worker of pytest-xdist."""

import pytest
from app_store_sandbox import AppStoreServer


@pytest.fixture(scope="session")
def app_store_server():
    """The server of all stores."""
    with AppStoreServer() as server:
        yield server


@pytest.fixture
def app_store_options():
    """What `app_store` makes its store from; a module or a class may override it."""
    return {}


@pytest.fixture
def app_store(app_store_server, app_store_options):
    """A store of this test alone."""
    with app_store_server.store(**app_store_options) as store:
        yield store
