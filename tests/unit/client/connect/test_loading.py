"""Importing beside the thread that draws."""

import sys

import pytest

from client.connect.loading import Loading


def test_modules_are_there_when_it_is_done() -> None:
    loading = Loading(["json", "colorsys"])
    assert loading.wait(60.0)
    assert "colorsys" in sys.modules
    loading.close()
    loading.close()


def test_a_failed_import_is_raised_where_it_is_waited_for() -> None:
    loading = Loading(["client.connect.nothing_of_that_name"])
    with pytest.raises(ModuleNotFoundError, match="nothing_of_that_name"):
        loading.wait(60.0)
    loading.close()
