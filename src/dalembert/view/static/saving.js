/* The stage as a picture or a film, and the equations in the clipboard. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});

  /* The stage as one canvas: the picture and the layer over it. */
  function composed(player) {
    player.picture();
    const made = document.createElement("canvas");
    made.width = player.canvas.width;
    made.height = player.canvas.height;
    const pen = made.getContext("2d");
    pen.drawImage(player.canvas, 0, 0, made.width, made.height); // at once, before WebGL clears it
    pen.drawImage(player.over.canvas, 0, 0, made.width, made.height);
    return made;
  }

  function savePicture(player) {
    composed(player).toBlob((blob) => download(player, blob, "png"), "image/png");
  }

  /* Record the motion from beginning to end at the current speed. */
  async function saveFilm(player) {
    if (player.filming) {
      player.filming.stop();
      return;
    }
    const kind = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"].find((type) => MediaRecorder.isTypeSupported(type));
    if (!kind) {
      player.spoken.textContent = "This browser cannot record WebM.";
      return;
    }
    player.pause();
    const sheet = composed(player);
    const pen = sheet.getContext("2d");
    const recorder = (player.filming = new MediaRecorder(sheet.captureStream(30), { mimeType: kind }));
    const parts = [];
    recorder.ondataavailable = (event) => parts.push(event.data);
    recorder.onstop = () => {
      player.filming = null;
      player.pressedState(player.filmButton, false);
      download(player, new Blob(parts, { type: "video/webm" }), "webm");
    };
    recorder.start();
    player.pressedState(player.filmButton, true);
    player.spoken.textContent = "Filming; press again to end it.";
    let last = performance.now();
    player.seek(player.scene.start);
    const frame = (stamp) => {
      if (recorder.state !== "recording" || player.gone) return;
      const t = player.time + (Math.max(0, stamp - last) / 1000) * player.speed;
      last = stamp;
      player.seek(t);
      player.picture();
      pen.drawImage(player.canvas, 0, 0, sheet.width, sheet.height);
      pen.drawImage(player.over.canvas, 0, 0, sheet.width, sheet.height);
      if (t >= player.scene.end) recorder.stop();
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  function download(player, blob, ending) {
    const { name: given } = player.options;
    const name = ((typeof given === "function" ? given() : given) || player.scene.title).replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "motion";
    const link = da.element("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${name}.${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    player.spoken.textContent = `Saved ${link.download}.`;
  }

  async function copy(player, text) {
    try {
      await navigator.clipboard.writeText(text);
      player.spoken.textContent = "The equations are copied as LaTeX.";
    } catch {
      player.spoken.textContent = "The browser does not allow copying here.";
    }
  }

  Object.assign(da, { savePicture, saveFilm, copy });
})(globalThis);
