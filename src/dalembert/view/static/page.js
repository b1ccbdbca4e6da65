/* A page of one motion. The page contains the scene as JSON and fetches nothing. */
(async function () {
  "use strict";
  const told = (name) => JSON.parse(document.getElementById(name)?.textContent ?? "null");
  const unpacked = async ({ packed }) => {
    const raw = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  };
  const [given, book] = [told("scene"), told("book")]; // a large scene and long equations are compressed
  if (given.packed && !globalThis.DecompressionStream) {
    document.getElementById("mount").textContent = "This browser is too old for this page: it cannot read compressed text.";
    return;
  }
  const scene = given.packed ? await unpacked(given) : given;
  const options = told("options");
  if (book && globalThis.DecompressionStream) options.book = () => unpacked(book);
  const player = dalembert.mountPlayer(document.getElementById("mount"), scene, { heading: 1, ...options });
  const dark = () => player.root.dataset.theme === "dark";
  const button = document.getElementById("theme");
  const coloured = () => {
    document.documentElement.dataset.theme = player.root.dataset.theme;
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", dark() ? "Switch to light colours" : "Switch to dark colours");
  };
  button.addEventListener("click", () => {
    player.setTheme(dark() ? "light" : "dark");
    coloured();
  });
  coloured();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", coloured); // after the player, that heard it first
  dalembert.spaced(() => player.toggle());
  globalThis.player = player;
  const carried = told("computes");
  if (!carried || !globalThis.WebAssembly || !globalThis.DecompressionStream) return;
  const { engine, ...model } = carried;
  const shown = (computing) => {
    computing.mounted(player.inside);
    globalThis.computing = computing;
  };
  const refused = (error) => document.querySelector("footer").append(` This browser cannot compute other motions: ${error.message}.`);
  dalembert.Computing.of(engine, model, scene, player).then(shown, refused);
})();
