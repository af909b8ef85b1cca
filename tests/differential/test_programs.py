"""Programs from scratch, at every place: all facts are those of the reference."""

from __future__ import annotations

from hypothesis import strategies as st
from tests.differential.checks import check_program
from tests.differential.examples import at_places, for_all
from tests.differential.places import OpenPlace
from tests.random_graphs import graph_histories
from tests.random_programs import RandomProgram, programs


def of_fitting_width(place: OpenPlace) -> st.SearchStrategy[RandomProgram]:
    """In rounds, columns cost time: wide relations are for the kernels."""
    is_in_rounds = place.place.engine == "spark" and place.place.options["placement"] != "kernel"
    return programs(largest_arity=4 if is_in_rounds else 8)


@at_places("programs")
def test_programs(place: OpenPlace, examples: int) -> None:
    for_all(of_fitting_width(place), check_program, place, examples, shared=True)


@at_places("programs", nightly=True)
def test_many_programs(place: OpenPlace, examples: int) -> None:
    for_all(of_fitting_width(place), check_program, place, examples)


@at_places("graph programs", nightly=True)
def test_many_graph_programs(place: OpenPlace, examples: int) -> None:
    for_all(graph_histories().map(lambda history: history.program), check_program, place, examples)
