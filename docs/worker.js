/* A browser runs no workers from files. The search of this manual then works in a hidden frame instead. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.body.appendChild(Object.assign(document.createElement("iframe"), { hidden: true }));
      this.waiting = [];
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      inside.importScripts = (...urls) => urls.reduce((before, next) => before.then(() => loaded(inside, next)), Promise.resolve());
      loaded(inside, url).then(() => {
        const waiting = this.waiting;
        this.waiting = null;
        for (const data of waiting) this.postMessage(data);
      });
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }

    terminate() {
      this.frame.remove();
    }
  };

  function loaded(inside, url) {
    return new Promise((resolve, reject) => {
      const script = inside.document.createElement("script");
      Object.assign(script, { src: new URL(url, document.baseURI).href, onload: resolve, onerror: reject });
      inside.document.body.appendChild(script);
    });
  }
}
