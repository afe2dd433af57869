// Keeps a copy of everything the page has fetched. The network comes first, so a new build is seen
// at once; the copy serves when there is no network. Nothing of another host is ever asked for.
const CACHE = "tidepool";

self.addEventListener("install", (event) => {
  self.skipWaiting();
  const files = ["./", "index.html", "main.js", "worker.js", "style.css", "icon.svg",
    "pkg/tidepool_web.js", "pkg/tidepool_web_bg.wasm"];
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(files)));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  event.respondWith((async () => {
    const cache = await caches.open(CACHE);
    try {
      const answer = await fetch(request);
      if (answer.status === 200) await cache.put(request, answer.clone());
      return answer;
    } catch (error) {
      const kept = await cache.match(request, { ignoreSearch: true });
      if (kept) return kept;
      throw error;
    }
  })());
});
