"""Dense and sparse linear algebra through products with A alone."""
