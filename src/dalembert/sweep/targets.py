"""Targets of a result: a Zarr folder, a netCDF or Parquet file, or an xarray Dataset in memory. The file's ending
decides.

The same numbers give the same bytes: a file does not record when or where it was made.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
Values = Callable[[int, int], np.ndarray]  # in a range


@dataclass(frozen=True)
class ResultArray:
    """One array of a result. A coordinate has `values` of any range."""

    name: str
    kind: str  # int8, int64, float64 or string
    dimensions: tuple[str, ...]
    shape: tuple[int, ...]
    box: tuple[int, ...]  # the shape of a block
    attributes: Mapping[str, Any]
    values: Values = np.arange

    def fill(self, array: Any) -> None:
        """Write a coordinate, block by block."""
        (size,), (step,) = self.shape, self.box
        for first in range(0, size, step):
            last = min(first + step, size)
            array[first:last] = self.values(first, last)


def _coordinates(layout: Layout) -> list[ResultArray]:
    """The varied quantities, then times and modes, which are the same for every motion."""

    def entry(name: str, dimension: str, size: int, values: Values) -> ResultArray:
        kind = "int64" if values(0, 1).dtype.kind == "i" else "float64"
        unit = {"units": layout.units[name]} if name in layout.units else {}
        return ResultArray(name, kind, (dimension,), (size,), (min(size, COORDINATE_BLOCK),), unit, values)

    found: list[ResultArray] = []
    for axis in layout.space.axes:
        found += [entry(name, axis.dimension, axis.size, partial(_along, axis, name)) for name in axis.names]
        if axis.dimension not in axis.names:
            found.append(entry(axis.dimension, axis.dimension, axis.size, np.arange))
    for name, values in layout.beyond().items():
        found.append(entry(name, name, len(values), partial(_among, np.array(values))))
    return found


def _along(axis: Axis, name: str, first: int, last: int) -> np.ndarray:
    return axis.values(first, last)[name]


def _among(values: np.ndarray, first: int, last: int) -> np.ndarray:
    return values[first:last]


def _arrays(layout: Layout) -> list[ResultArray]:
    """The variables, the status of the motions, and their messages if there are any."""
    shape, box, dimensions = layout.space.shape, layout.box, layout.space.dimensions
    found = [
        ResultArray(v.name, "float64", layout.dimensions(v), (*shape, *v.shape), (*box, *v.shape), v.attributes)
        for v in layout.variables
    ]
    found.append(ResultArray("status", "int8", dimensions, shape, box, STATUS))
    return [*found, ResultArray("message", "string", dimensions, shape, box, {})] if layout.messages else found


def _plain(layout: Layout) -> dict[str, str]:
    """The attribute with the coordinates that are no dimensions, if there are any."""
    names = [entry.name for entry in _coordinates(layout) if entry.dimensions != (entry.name,)]
    return {"coordinates": " ".join(names)} if names else {}


class Arrays:
    """A target with an array for every variable, one for the status, and one for messages if there are any."""

    layout: Layout
    arrays: dict[str, Any]
    text: Any = object  # the type of messages

    def write(self, block: ResultBlock) -> None:
        for variable in self.layout.variables:
            columns = block.outcome.values[:, variable.first : variable.first + variable.columns]
            region = (*block.region, *(slice(None) for _ in variable.shape))
            self.arrays[variable.name][region] = columns.reshape(*block.shape, *variable.shape)
        self.arrays["status"][block.region] = block.outcome.status.reshape(block.shape)
        if self.layout.messages:
            self.arrays["message"][block.region] = np.array(block.messages, dtype=self.text).reshape(block.shape)

    def close(self) -> None:
        pass


class Zarr(Arrays):
    """Zarr, format 3: a folder that xarray opens with `xarray.open_zarr`. A block is a region of whole chunks."""

    def __init__(self, path: Path, layout: Layout) -> None:
        import zarr

        self.path, self.layout = path, layout
        self.group = zarr.open_group(str(path), mode="w", zarr_format=3)
        self.group.attrs.update(layout.attributes | _plain(layout))
        for entry in _coordinates(layout):
            entry.fill(self._made(entry))
        self.arrays = {entry.name: self._made(entry) for entry in _arrays(layout)}
        if layout.messages:
            self.text = self.arrays["message"].dtype

    def _made(self, entry: ResultArray) -> Any:
        nothing: Any = {"float64": np.nan, "string": ""}.get(entry.kind, 0)
        return self.group.create_array(
            entry.name, shape=entry.shape, chunks=entry.box, dtype=entry.kind, fill_value=nothing,
            dimension_names=entry.dimensions, attributes=dict(entry.attributes),
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
        for entry in _coordinates(layout):
            if entry.dimensions[0] not in self.file.dimensions:
                self.file.createDimension(entry.dimensions[0], entry.shape[0])
            made = self.file.createVariable(entry.name, np.dtype(entry.kind), entry.dimensions)
            made.setncatts(entry.attributes)
            entry.fill(made)
        for entry in _arrays(layout):
            self._declare(entry, _plain(layout))
        self.arrays = self.file.variables

    def _declare(self, entry: ResultArray, plain: Mapping[str, str]) -> None:
        if entry.kind == "string":
            self.file.createVariable(entry.name, str, entry.dimensions, chunksizes=entry.box)
            return
        whole = entry.kind == "int8"
        self.file.createVariable(
            entry.name,
            np.dtype(entry.kind),
            entry.dimensions,
            compression="zlib",
            complevel=1,
            chunksizes=entry.box,
            fill_value=False if whole else np.nan,
        ).setncatts({**entry.attributes, **({"flag_values": np.array(list(WORDS), np.int8)} if whole else plain)})

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
        arrays += [pyarrow.array(block.outcome.values[:, j]) for j in range(self.layout.columns)]
        arrays.append(pyarrow.array(block.outcome.status))
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
        self.arrays = {e.name: np.empty(e.shape, object if e.kind == "string" else e.kind) for e in _arrays(layout)}

    def dataset(self) -> Any:
        import xarray

        layout = self.layout
        found = {e.name: (e.dimensions, self.arrays[e.name], dict(e.attributes)) for e in _arrays(layout)}
        coordinates = {e.name: (e.dimensions, e.values(0, e.shape[0]), e.attributes) for e in _coordinates(layout)}
        return xarray.Dataset(found, coordinates, layout.attributes)


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
