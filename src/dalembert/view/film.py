"""A motion as a GIF or MP4. Faces are drawn from back to front, as on the player's canvas, in light colours."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dalembert.results.plots.style import COLOURS, FAINT
from dalembert.view.meshes import Faces, mesh

WIDTH, HEIGHT = 560, 400  # pixels
FINE = 2  # frames are drawn this many times larger; a GIF is then scaled down
RATE, SMOOTH = 20, 30  # frames a second, of a GIF and of an MP4
LONGEST = 12.0  # seconds of the film: a longer motion runs faster
TRAIL = 0.2  # of the duration
ANGLE = np.radians(28.0)  # of view
BACK, PLAIN, ROD, WALL, PLATE = "#f4f6f9", "#8a929c", "#7d8590", "#77808c", (154, 163, 175, 85)
SLOPE, SIDE, SHADE = "#dfe4ea", "#c9d0d8", 33  # of a slope, and the darkness of shadows (of 255)
TYPES = {"f64": "<f8", "f32": "<f4", "u16": "<u2", "u8": "u1"}


def unpacked(packed: Mapping[str, Any], count: int) -> np.ndarray:
    """The rows of a track, one for each instant."""
    if packed["type"] == "constant":
        return np.broadcast_to(np.array(packed["value"], float), (count, packed["width"]))
    values = np.frombuffer(b64decode(packed["data"]), TYPES[packed["type"]]).astype(float)
    values = values.reshape(-1, packed["width"])
    if packed["type"] == "u16":
        low, high = np.array(packed["low"]), np.array(packed["high"])
        values = low + (high - low) * values / 65535
    return values


@dataclass(frozen=True)
class FilmedShape:
    """A shape along the motion: mesh, colour, places and quaternions of its body, growth along its axes."""

    mesh: Faces
    shape: Mapping[str, Any]
    colour: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    growth: np.ndarray | None


@dataclass(frozen=True)
class Eye:
    """The axes to the right, up and towards the eye, and its distance."""

    right: np.ndarray
    above: np.ndarray
    toward: np.ndarray
    distance: float

    @staticmethod
    def of(outlook: Mapping[str, Any]) -> Eye:
        """The player's camera at the start: it shows everything, or the model alone if it follows the motion."""
        up, e = (np.array(outlook[key], float) for key in ("up", "eye"))
        right = np.cross(up, e)
        right /= np.linalg.norm(right)
        above = np.cross(e, right)
        tall = np.tan(ANGLE / 2)
        wide = tall * WIDTH / HEIGHT
        if outlook["follow"]:
            return Eye(right, above, e, 1.8 * outlook["size"] / min(tall, wide) / np.cos(ANGLE / 2))
        low, high = np.array(outlook["low"]), np.array(outlook["high"])
        corners = np.array([np.where([k & 1, k & 2, k & 4], high, low) for k in range(8)]) - np.array(outlook["centre"])
        apart = np.maximum(np.abs(corners @ right) / wide, np.abs(corners @ above) / tall)
        return Eye(right, above, e, max(float((corners @ e + 1.1 * apart).max()), 1e-6))

    def project(self, places: np.ndarray, target: np.ndarray) -> np.ndarray:
        """x, y in pixels and depth, a row for each place."""
        away = places - target - self.distance * self.toward
        depth = -(away @ self.toward)
        k = FINE * HEIGHT / 2 / np.tan(ANGLE / 2) / np.maximum(depth, 1e-3 * self.distance)
        x, y = FINE * WIDTH / 2 + k * (away @ self.right), FINE * HEIGHT / 2 - k * (away @ self.above)
        return np.column_stack([x, y, depth])


class Film:
    """The frames of a scene."""

    def __init__(self, scene: Mapping[str, Any]):
        self.scene = scene
        self.times = unpacked(scene["times"], 0)[:, 0]
        self.eye = Eye.of(scene["outlook"])
        self.parts = [part for kind in ("drawings", "bodies") for i, one in enumerate(scene[kind])
                      for part in self._parts(one, COLOURS[i % 8] if kind == "bodies" else PLAIN)]  # fmt: skip
        self.ways = [self._track(body["position"]) for body in scene["bodies"]]
        self.walls = [self._track(wall["place"]) if "place" in wall else None for wall in scene["walls"]]
        self.rods = [(self._track(rod["from"]), self._track(rod["to"])) for rod in scene["links"]]

    def _track(self, packed: Mapping[str, Any]) -> np.ndarray:
        return unpacked(packed, len(self.times))

    def _parts(self, one: Mapping[str, Any], colour: str) -> list[FilmedShape]:
        found = []
        for shape in one["shapes"]:
            grows = "growth" in shape
            made = mesh({key: value for key, value in shape.items() if not (grows and key in ("turn", "at"))})
            if made is not None:
                if not one["turns"]:  # two tones show that a body turns
                    made = made._replace(dark=np.zeros_like(made.dark))
                growth = self._track(shape["growth"]) if grows else None
                position, rotation = (self._track(one[key]) for key in ("position", "rotation"))
                found.append(FilmedShape(made, shape, _rgb(shape.get("colour") or colour), position, rotation, growth))
        return found

    def instants(self, rate: int = RATE) -> np.ndarray:
        """The times of the frames."""
        start, end = self.times[0], self.times[-1]
        count = int(np.clip(rate * min(end - start, LONGEST), 1, rate * LONGEST)) + 1
        return np.linspace(start, end, count)

    def frame(self, t: float) -> Any:
        """The picture at a time."""
        from PIL import Image

        return self.large(t).resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)

    def large(self, t: float) -> Any:
        """The same, FINE times larger."""
        from PIL import Image, ImageDraw

        image = Image.new("RGB", (FINE * WIDTH, FINE * HEIGHT), BACK)
        pen = ImageDraw.Draw(image, "RGBA")
        centres = [self._at(way, t) for way in self.ways]
        follows = self.scene["outlook"]["follow"] and centres
        target = np.mean(centres, axis=0) if follows else np.array(self.scene["outlook"]["centre"])
        self._grid(pen, target)
        shadow = self._shadow(t, target)
        if shadow is not None:
            image.paste("#000000", mask=shadow)
        for wall, place in zip(self.scene["walls"], self.walls, strict=True):
            self._wall(pen, wall, place if place is None else self._at(place, t), target)
        for i, way in enumerate(self.ways):
            if self.scene["bodies"][i]["trail"]:
                passed = way[(self.times <= t) & (self.times >= t - TRAIL * (self.times[-1] - self.times[0]))]
                self._line(pen, np.vstack([passed, self._at(way, t)]), target, COLOURS[i % 8], 2)
        for start, end in self.rods:
            self._line(pen, np.array([self._at(start, t), self._at(end, t)]), target, ROD, 3)
        for xy, colour in self._faces(t, target):
            pen.polygon(xy, fill=colour, outline=colour)
        return image

    def _at(self, track: np.ndarray, t: float) -> np.ndarray:
        i = int(np.clip(np.searchsorted(self.times, t, "right") - 1, 0, max(len(self.times) - 2, 0)))
        j = min(i + 1, len(self.times) - 1)
        h = self.times[j] - self.times[i]
        s = min(max((t - self.times[i]) / h, 0.0), 1.0) if h > 0 else 0.0
        return track[i] + s * (track[j] - track[i])

    def corners(self, part: FilmedShape, t: float) -> np.ndarray:
        """The corners of a shape at a time, in inertial axes."""
        corners = part.mesh.corners
        if part.growth is not None:
            turn, at = part.shape.get("turn", np.eye(3)), part.shape.get("at", np.zeros(3))
            growth = self._at(part.growth, t)
            at = np.array(at) + (growth[3:] if len(growth) > 3 else 0.0)
            corners = (corners * growth[:3]) @ np.array(turn).T + at
        return corners @ _matrix(self._at(part.rotation, t)).T + self._at(part.position, t)

    def _faces(self, t: float, target: np.ndarray) -> list[tuple[list[tuple[float, float]], tuple[int, ...]]]:
        """Every visible face, from back to front, with its colour."""
        light = -0.4 * self.eye.right + 0.7 * self.eye.above + 0.6 * self.eye.toward
        light /= np.linalg.norm(light)
        depths, places, colours = [], [], []
        for part in self.parts:
            placed = self.corners(part, t)
            seen, four = self.eye.project(placed, target)[part.mesh.faces], placed[part.mesh.faces]
            normal = np.cross(four[:, 2] - four[:, 0], four[:, 3] - four[:, 1])  # of the diagonals
            length = np.maximum(np.linalg.norm(normal, axis=1), 1e-300)
            shine = (0.62 + 0.38 * np.abs(normal @ light) / length) * np.where(part.mesh.dark, 0.72, 1.0)
            clear = np.full((len(four), 1), 70 if part.shape.get("clear") else 255)
            depths.append(seen[:, :, 2].mean(axis=1))
            places.append(seen[:, :, :2])
            paint = part.colour if part.mesh.own is None else part.mesh.own
            colours.append(np.hstack([paint * shine[:, None], clear]).astype(int))
        if not depths:
            return []
        order = np.argsort(-np.concatenate(depths), kind="stable")
        shown, painted = np.concatenate(places)[order].tolist(), np.concatenate(colours)[order].tolist()
        return [([(x, y) for x, y in xy], tuple(colour)) for xy, colour in zip(shown, painted, strict=True)]

    def _step(self) -> float:
        """The distance of the lines of the grid: 1, 2 or 5 times a power of ten."""
        wanted = 0.3 * self.eye.distance * np.tan(ANGLE / 2)
        power = 10 ** np.floor(np.log10(wanted))
        return float(power * max(digit for digit in (1, 2, 5) if digit * power <= wanted))

    def _line(self, pen: Any, places: np.ndarray, target: np.ndarray, colour: str, width: int) -> None:
        seen = self.eye.project(places, target)
        if len(seen) > 1:
            pen.line(_places(seen), fill=colour, width=FINE * width, joint="curve")

    def _wall(self, pen: Any, wall: Mapping[str, Any], place: np.ndarray | None, target: np.ndarray) -> None:
        """A flat wall as a plate, or the line of a curved one."""
        if place is None:
            self._line(pen, np.array(wall["line"]), target, WALL, 2)
            return
        normal = np.array(wall["normal"])
        a = np.array(wall["along"]) if "along" in wall else _across(normal)
        b = wall["depth"] * np.cross(normal, a)
        a, down = wall["half"] * a, -0.03 * wall["half"] * normal
        top = np.array([place + a + b, place - a + b, place - a - b, place + a - b])
        for plate in (top + down, top):
            corners = self.eye.project(plate, target)
            pen.polygon(_places(corners), fill=PLATE, outline=WALL)

    def _grid(self, pen: Any, target: np.ndarray) -> None:
        """Lines on the ground around the target of the view."""
        ground = self.scene["ground"]
        if ground is None:
            return
        normal, point = np.array(ground["normal"], float), np.array(ground["point"], float)
        a = _across(normal)
        b = np.cross(normal, a)
        step = self._step()
        middle = target - ((target - point) @ normal) * normal
        base = middle - (middle @ a) * a - (middle @ b) * b
        u, v = round(float(middle @ a) / step), round(float(middle @ b) / step)
        for i in range(-8, 9):
            for one, two, p, q in ((a, b, u, v), (b, a, v, u)):
                ends = [base + (p + i) * step * one + (q + j) * step * two for j in (-8, 8)]
                self._line(pen, np.array(ends), target, FAINT, 1)
        if "slope" in ground:
            self._slope(pen, ground["slope"], target)

    def _slope(self, pen: Any, slope: Mapping[str, Any], target: np.ndarray) -> None:
        """Its sides, from back to front, and then its surface."""
        surface, foot = np.array(slope["surface"]), np.array(slope["foot"])
        sides = [np.array([surface[i], surface[i - 1], foot[i - 1], foot[i]]) for i in range(4)]
        sides.sort(key=lambda side: -float(self.eye.project(side, target)[:, 2].mean()))
        for face, colour in (*((side, SIDE) for side in sides), (surface, SLOPE)):
            pen.polygon(_places(self.eye.project(face, target)), fill=colour, outline=WALL)
        for k in np.arange(1, 10) / 10:
            for one, two, three, four in ((0, 3, 1, 2), (0, 1, 3, 2)):
                ends = [surface[i] + k * (surface[j] - surface[i]) for i, j in ((one, two), (three, four))]
                self._line(pen, np.array(ends), target, FAINT, 1)

    def _shadow(self, t: float, target: np.ndarray) -> Any:
        """The shadow of everything that moves, on the ground or its slope. None without a ground."""
        from PIL import Image, ImageDraw

        plane = self.scene["ground"] and self.scene["ground"].get("slope", self.scene["ground"])
        if not plane:
            return None
        normal, point = (
            np.array(plane["normal"]),
            np.array(plane["surface"][0] if "surface" in plane else plane["point"]),
        )
        fall = np.array(self.scene["outlook"]["up"]) + 0.45 * self.eye.toward - 0.5 * self.eye.right
        if fall @ normal < 0.2:
            return None
        mask = Image.new("L", (FINE * WIDTH, FINE * HEIGHT), 0)
        pen = ImageDraw.Draw(mask)
        for part in self.parts:
            if part.shape.get("clear") or not (
                np.ptp(part.position, axis=0).any() or np.ptp(part.rotation, axis=0).any()
            ):
                continue
            corners = self.corners(part, t)
            fallen = corners - np.outer((corners - point) @ normal / (fall @ normal), fall)
            for face in self.eye.project(fallen, target)[part.mesh.faces]:
                pen.polygon(_places(face), fill=SHADE)
        return mask


def _places(seen: np.ndarray) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y, _ in seen]


def _across(normal: np.ndarray) -> np.ndarray:
    a = np.cross(normal, [0.0, 1.0, 0.0] if abs(normal[1]) < 0.9 else [1.0, 0.0, 0.0])
    return a / np.linalg.norm(a)


def _rgb(colour: str) -> np.ndarray:
    from PIL import ImageColor

    try:
        return np.array(ImageColor.getrgb(colour)[:3], float)
    except ValueError:
        return np.array(ImageColor.getrgb(PLAIN), float)


def _matrix(q: np.ndarray) -> np.ndarray:
    """The rotation of a quaternion (x, y, z, w)."""
    x, y, z, w = q / (np.linalg.norm(q) or 1.0)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def gif(scene: Mapping[str, Any]) -> bytes:
    """The motion of a scene as an animated GIF that loops."""
    from PIL import Image

    film = Film(scene)
    first, *rest = [film.frame(float(t)).quantize(255, Image.Quantize.FASTOCTREE) for t in film.instants()]
    file = BytesIO()
    first.save(file, "GIF", save_all=True, append_images=rest, duration=1000 // RATE, loop=0, optimize=True, disposal=1)
    return file.getvalue()


def mp4(scene: Mapping[str, Any]) -> bytes:
    """The motion of a scene as H.264 in an MP4 file, made by the encoder of the package imageio-ffmpeg."""
    from imageio_ffmpeg import write_frames

    film = Film(scene)
    with TemporaryDirectory(prefix="dalembert-film-") as folder:
        file = Path(folder) / "motion.mp4"
        writer = write_frames(str(file), (FINE * WIDTH, FINE * HEIGHT), fps=SMOOTH, codec="libx264", quality=8)
        writer.send(None)
        for t in film.instants(SMOOTH):
            writer.send(film.large(float(t)).tobytes())
        writer.close()
        return file.read_bytes()
