"""The three rule sets of the ZodiacEdge paper, in that paper's notation."""

from __future__ import annotations

RS1 = r"""
r1: hasNeighbour(X, Y) :- hasNeighbour(Y, X) .
r2: hasNeighbour(X, Y) :- hasNeighbour(X, Z) and hasNeighbour(Z, Y) and COMP(X, !=, Y) .
r3: hasNeighbourAirTemperatureMeasurementNumber(X, Z) :- aggregate( hasNeighbour(X, Y) and hasAirTemperatureMesurement(Y, T)) on X with count(T) as Z .
r4: hasMedianAirTemperatureMeasurementNearby(X, Z) :- aggregate( hasNeighbour(X, Y) and hasAirTemperatureMesurement(Y, T)) on X with Med(T) as Z .
r5: MoreThan3Neighbours(X) :- hasNeighbourAirTemperatureMeasurementNumber(X, N) and Comp(N, >=, 3) .
r6: SensorAnomalyWindTurbine(X) :- hasMedianAirTemperatureMeasurementNearby(X, M) $\wedge$ MoreThan3Neighbours(X) and hasAirTemperatureMesurement(X, T) and bind(abs(T-M) as D) and Comp(D, >, 5) .
"""

RS2 = """
r1: p11(X, Y) :- p1(X, Y) .
r2: p11(X, Y) :- p11(Y, X) .
r3: p11(X, Z) :- p11(X, Y) and p11(Y, Z) and COMP(X, !=, Z) .
r4: p12(X, Y) :- p2(X, Y) .
r5: p12(X, Z) :- p12(X, Y) and p12(Y, Z) and COMP(X, !=, Z) .
r6: p13(X, Y) :- p3(X, Y) .
r7: p14(X, Y) :- p13(X, Y) .
r8: p13(X, Y) :- p14(Y, X) .
r9: p20(X, Y) :- p11(X, Y) .
r10: p20(X, Y) :- p12(X, Y) .
r11: p20(X, Y) :- p13(X, Y) .
r12: p21(X, Y) :- p20(X, Y) .
r13: p22(X, Y) :- p21(X, Y) .
r14: p20(X, Y) :- p22(X, Y) .
r15: p25(X, Z) :- p11(X, Y) and p12(Y, Z) and not p5(Y, Z) .
r16: p26(X, Z) :- p12(X, Y) and p13(Z, Y) and not p5(Z, Y) .
r17: p30(X, Z) :- p22(X, Y) and p21(Y, Z) .
r18: p31(X, Y) :- p25(X, Y) and p26(Y, Z) .
"""

RS3 = RS2.replace("r10: p20(X, Y) :- p12(X, Y) .", "r10: p20(X, Y) :- p12(X, Y) and not p13(Y, Z) .")


def chains(n: int) -> str:
    """The paper's data: four chains of n edges, each starting where the one before ends."""
    return "\n".join(f"p{k}({(k - 1) * n + i}, {(k - 1) * n + i + 1})." for k in (1, 2, 3, 4) for i in range(n))


def derived_facts_of_rs2(n: int) -> int:
    """How many facts RS2 derives from the paper's data."""
    return (21 * n * n + 43 * n) // 2
