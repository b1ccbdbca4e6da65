"""Models of constraint (WangGao): complete rows of virtual displacements, hidden constraints, vakonomic motions."""
