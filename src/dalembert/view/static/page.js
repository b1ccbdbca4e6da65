/* A page of one motion. The page contains the scene as JSON and fetches nothing. */
(async function () {
  "use strict";
  const scene = JSON.parse(document.getElementById("scene").textContent);
  const book = document.getElementById("book"); // long equations are compressed
  if (book && globalThis.DecompressionStream) {
    const raw = Uint8Array.from(atob(JSON.parse(book.textContent).packed), (letter) => letter.charCodeAt(0));
    Object.assign(scene, await new Response(new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"))).json());
  }
  const options = JSON.parse(document.getElementById("options").textContent);
  const player = dalembert.mountPlayer(document.getElementById("mount"), scene, { heading: 1, ...options });
  const dark = () => player.root.dataset.theme === "dark";
  const button = document.getElementById("theme");
  const told = () => {
    document.documentElement.dataset.theme = player.root.dataset.theme;
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", dark() ? "Switch to light colours" : "Switch to dark colours");
  };
  button.addEventListener("click", () => {
    player.setTheme(dark() ? "light" : "dark");
    told();
  });
  told();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", told); // after the player, that heard it first
  dalembert.spaced(() => player.toggle());
  globalThis.player = player;
  const carried = document.getElementById("computes");
  if (!carried || !globalThis.WebAssembly || !globalThis.DecompressionStream) return;
  const { engine, ...model } = JSON.parse(carried.textContent);
  const shown = (computing) => {
    computing.mounted(player.inside);
    globalThis.computing = computing;
  };
  const refused = (error) => document.querySelector("footer").append(` This browser cannot compute other motions: ${error.message}.`);
  dalembert.Computing.of(engine, model, scene, player).then(shown, refused);
})();
