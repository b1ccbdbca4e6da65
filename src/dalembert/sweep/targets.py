"""Targets of a result: a Zarr folder, a netCDF or Parquet file, or an xarray Dataset in memory. The file's ending
decides.

The same numbers give the same bytes: a file does not record when or where it was made.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from difflib import get_close_matches
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.language import tr
from dalembert.sweep.ensemble import WORDS
from dalembert.sweep.layout import Layout, ResultBlock, Target
from dalembert.sweep.space import Axis
from dalembert.sweep.variables import Variable

STATUS: dict[str, Any] = {
    "long_name": "how the motion ended",
    "flag_values": list(WORDS),
    "flag_meanings": " ".join(WORDS.values()),
}
COORDINATE_BLOCK = 1 << 20


Values = Callable[[int, int], np.ndarray]


def _coordinates(layout: Layout) -> list[tuple[str, str, Values, int]]:
    """The name, dimension, values of a range, and size of every coordinate."""
    found: list[tuple[str, str, Values, int]] = []
    for axis in layout.space.axes:
        found += [(name, axis.dimension, partial(_along, axis, name), axis.size) for name in axis.names]
        if axis.dimension not in axis.names:
            found.append((axis.dimension, axis.dimension, np.arange, axis.size))
    for name, values in layout.beyond().items():
        found.append((name, name, partial(_among, np.array(values)), len(values)))
    return found


def _unit(layout: Layout, name: str) -> dict[str, str]:
    return {"units": layout.units[name]} if name in layout.units else {}


def _along(axis: Axis, name: str, first: int, last: int) -> np.ndarray:
    return axis.values(first, last)[name]


def _among(values: np.ndarray, first: int, last: int) -> np.ndarray:
    return values[first:last]


class Arrays:
    """A target with an array for every variable, one for the status, and one for messages if there are any."""

    layout: Layout
    arrays: dict[str, Any]
    text: Any = object  # the type of messages

    def write(self, block: ResultBlock) -> None:
        for variable in self.layout.variables:
            region = (*block.region, *(slice(None) for _ in variable.shape))
            self.arrays[variable.name][region] = _part(block, variable)
        self.arrays["status"][block.region] = block.status.reshape(block.shape)
        if self.layout.messages:
            self.arrays["message"][block.region] = np.array(block.messages, dtype=self.text).reshape(block.shape)

    def close(self) -> None:
        pass


def _part(block: ResultBlock, variable: Variable) -> np.ndarray:
    columns = block.values[:, variable.first : variable.first + variable.columns]
    return columns.reshape(*block.shape, *variable.shape)


def _fill(array: Any, values: Values, size: int) -> None:
    """Write a coordinate, block by block."""
    for first in range(0, size, COORDINATE_BLOCK):
        last = min(first + COORDINATE_BLOCK, size)
        array[first:last] = values(first, last)


class Zarr(Arrays):
    """Zarr, format 3: a folder that xarray opens with `xarray.open_zarr`."""

    def __init__(self, path: Path, layout: Layout) -> None:
        import zarr

        self.path, self.layout = path, layout
        self.group = zarr.open_group(str(path), mode="w", zarr_format=3)
        plain = [name for name, dimension, _, _ in _coordinates(layout) if name != dimension]
        self.group.attrs.update(layout.attributes | ({"coordinates": " ".join(plain)} if plain else {}))
        for name, dimension, values, size in _coordinates(layout):
            kind = "int64" if values(0, 1).dtype.kind == "i" else "float64"
            block = (min(size, COORDINATE_BLOCK),)
            _fill(self._array(name, (size,), block, (dimension,), _unit(layout, name), kind), values, size)
        shape, box = layout.space.shape, layout.box
        self.arrays = {
            variable.name: self._array(
                variable.name, (*shape, *variable.shape), (*box, *variable.shape), layout.dimensions(variable),
                dict(variable.attributes), "float64",
            )
            for variable in layout.variables
        }  # fmt: skip
        self.arrays["status"] = self._array("status", shape, box, layout.space.dimensions, STATUS, "int8")
        if layout.messages:
            self.arrays["message"] = self._array("message", shape, box, layout.space.dimensions, {}, "string")
            self.text = self.arrays["message"].dtype

    def _array(self, name: str, shape: Any, chunks: Any, dimensions: Any, attributes: dict[str, Any], kind: str) -> Any:
        nothing: Any = {"float64": np.nan, "string": ""}.get(kind, 0)
        return self.group.create_array(
            name, shape=shape, chunks=chunks, dtype=kind, fill_value=nothing, dimension_names=dimensions,
            attributes=attributes,
        )  # fmt: skip

    def close(self) -> None:
        """Write one file with all metadata, in an order that does not depend on the file system."""
        import zarr

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the format's next version may write it differently; both can be read
            zarr.consolidate_metadata(self.group.store)
        self.group.store.close()
        place = self.path / "zarr.json"
        about = json.loads(place.read_text(encoding="utf-8"))
        arrays = about["consolidated_metadata"]["metadata"]
        order = [*self.arrays, *sorted(arrays)]
        about["consolidated_metadata"]["metadata"] = {name: arrays[name] for name in order if name in arrays}
        place.write_text(json.dumps(about, indent=2), encoding="utf-8")


class Netcdf(Arrays):
    """netCDF 4, written block by block with the netCDF4 library."""

    def __init__(self, path: Path, layout: Layout) -> None:
        import netCDF4

        self.layout = layout
        self.file = netCDF4.Dataset(path, "w", format="NETCDF4")
        self.file.setncatts(layout.attributes)
        for name, dimension, values, size in _coordinates(layout):
            if dimension not in self.file.dimensions:
                self.file.createDimension(dimension, size)
            kind = "i8" if values(0, 1).dtype.kind == "i" else "f8"
            made = self.file.createVariable(name, kind, (dimension,))
            made.setncatts(_unit(layout, name))
            _fill(made, values, size)
        for axis in layout.space.axes:
            if axis.dimension not in self.file.dimensions:
                self.file.createDimension(axis.dimension, axis.size)
        plain = [name for name, dimension, _, _ in _coordinates(layout) if name != dimension]
        shape, box = layout.space.shape, layout.box
        self.arrays = self.file.variables
        for variable in layout.variables:
            made = self._variable(variable.name, "f8", layout.dimensions(variable), (*box, *variable.shape), np.nan)
            made.setncatts(dict(variable.attributes) | ({"coordinates": " ".join(plain)} if plain else {}))
        self._variable("status", "i1", layout.space.dimensions, box).setncatts(
            STATUS | {"flag_values": np.array(list(WORDS), np.int8)}
        )
        if layout.messages:
            self.file.createVariable("message", str, layout.space.dimensions, chunksizes=box if shape else None)

    def _variable(self, name: str, kind: str, dimensions: Any, box: Any, nothing: Any = False) -> Any:
        return self.file.createVariable(
            name, kind, dimensions, compression="zlib", complevel=1, chunksizes=box, fill_value=nothing
        )

    def close(self) -> None:
        self.file.close()


class Parquet:
    """A table with one row for every motion: the varied quantities, the records, and the status."""

    def __init__(self, path: Path, layout: Layout) -> None:
        import pyarrow
        from pyarrow import parquet

        self.layout = layout
        fields = [pyarrow.field(name, pyarrow.float64()) for name in layout.space.names]
        for variable in layout.variables:
            fields += [pyarrow.field(name, pyarrow.float64()) for name in _flat_names(variable)]
        fields.append(pyarrow.field("status", pyarrow.int8()))
        if layout.messages:
            fields.append(pyarrow.field("message", pyarrow.string()))
        about = {
            key: value if isinstance(value, str) else json.dumps(value) for key, value in layout.attributes.items()
        }
        self.schema = pyarrow.schema(fields, metadata=about)
        self.writer = parquet.ParquetWriter(path, self.schema)

    def write(self, block: ResultBlock) -> None:
        import pyarrow

        values = self.layout.space.values(block.first, block.last)
        arrays = [pyarrow.array(values[name]) for name in self.layout.space.names]
        arrays += [pyarrow.array(block.values[:, j]) for j in range(self.layout.columns)]
        arrays.append(pyarrow.array(block.status))
        if self.layout.messages:
            arrays.append(pyarrow.array(block.messages))
        self.writer.write_table(pyarrow.Table.from_arrays(arrays, schema=self.schema))

    def close(self) -> None:
        self.writer.close()


def _flat_names(variable: Variable) -> list[str]:
    if not variable.beyond:
        return [variable.name]
    ((dimension, values),) = variable.beyond
    return [f"{variable.name.removesuffix('(t)')}({dimension}={value:.10g})" for value in values]


class DatasetMemory(Arrays):
    """An xarray Dataset."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        shape = layout.space.shape
        self.arrays = {v.name: np.empty((*shape, *v.shape)) for v in layout.variables}
        self.arrays["status"] = np.empty(shape, np.int8)
        if layout.messages:
            self.arrays["message"] = np.full(shape, "", object)

    def dataset(self) -> Any:
        import xarray

        dims = self.layout.space.dimensions
        found: dict[str, Any] = {
            v.name: (self.layout.dimensions(v), self.arrays[v.name], dict(v.attributes)) for v in self.layout.variables
        }
        found["status"] = (dims, self.arrays["status"], dict(STATUS))
        if self.layout.messages:
            found["message"] = (dims, self.arrays["message"])
        coordinates = {
            name: (d, values(0, size), _unit(self.layout, name)) for name, d, values, size in _coordinates(self.layout)
        }
        return xarray.Dataset(found, coords=coordinates, attrs=self.layout.attributes)


TARGETS: dict[str, Callable[[Path, Layout], Target]] = {".zarr": Zarr, ".nc": Netcdf, ".parquet": Parquet}
EXTRAS = {".nc": ("netCDF4", "netcdf"), ".parquet": ("pyarrow", "parquet")}


def named(path: Path) -> Path:
    """The path of the result. One without an ending becomes a Zarr folder."""
    return path if path.suffix else path.with_suffix(".zarr")


def check(path: Path) -> None:
    """Refuse a result that cannot be written, before anything is computed."""
    ending = path.suffix.lower()
    if ending not in TARGETS:
        near = get_close_matches(ending, TARGETS, 1)
        hint = tr("; did you mean {near}?", near=near[0]) if near else ""
        raise ModelError(
            "{path}: the ending {ending!r} is not known; those known are {targets}{hint}",
            path=path,
            ending=ending,
            targets=", ".join(TARGETS),
            hint=hint,
        )
    module, extra = EXTRAS.get(ending, ("", ""))
    if module and find_spec(module) is None:
        raise ModelError(
            "{path}: writing {ending} needs the extra {extra!r}: pip install 'dalembert[{extra}]'",
            path=path,
            ending=ending,
            extra=extra,
        )
    if not path.parent.is_dir():
        raise ModelError("{path}: there is no folder {parent}; make it first", path=path, parent=path.parent)
    if ending != ".zarr" and path.is_dir():
        raise ModelError("{path}: this is a folder; give the name of a file", path=path)


def attributes_of(path: Path) -> dict[str, Any] | None:
    """The attributes of a result, or None if there is no result of dalembert."""
    if not path.exists():
        return None
    try:
        if path.suffix == ".zarr":
            found = json.loads((path / "zarr.json").read_text(encoding="utf-8"))["attributes"]
        elif path.suffix == ".nc":
            import netCDF4

            with netCDF4.Dataset(path) as file:
                found = {name: file.getncattr(name) for name in file.ncattrs()}
        else:
            from pyarrow import parquet

            about = parquet.read_schema(path).metadata or {}
            found = {key.decode(): value.decode() for key, value in about.items()}
    except (OSError, ValueError, KeyError):
        return None
    return found


def opened(path: Path) -> Any:
    """The result as an xarray Dataset, which is read on access."""
    import xarray

    if path.suffix == ".zarr":
        return xarray.open_zarr(path, chunks=None)
    if path.suffix == ".nc":
        return xarray.open_dataset(path, engine="netcdf4")
    return _table(path)


def _table(path: Path) -> Any:
    """A table with one row for every motion, as arrays over the varied quantities. Its metadata describe the axes."""
    import xarray
    from pyarrow import parquet

    table = parquet.read_table(path)
    about = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    axes = json.loads(about["manifest"])["varied"]
    shape = tuple(axis["size"] for axis in axes.values())
    columns = {name: table[name].to_numpy(zero_copy_only=False).reshape(shape) for name in table.column_names}
    coordinates: dict[str, Any] = {}
    for place, (dimension, axis) in enumerate(axes.items()):
        along = tuple(slice(None) if i == place else 0 for i in range(len(shape)))
        coordinates |= {name: (dimension, columns.pop(name)[along]) for name in axis if name in columns}
        coordinates.setdefault(dimension, (dimension, np.arange(shape[place])))
    return xarray.Dataset({name: (tuple(axes), values) for name, values in columns.items()}, coordinates, about)
