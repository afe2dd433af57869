import init from "./pkg/tidepool_web.js";

init().catch((error) => {
  const boot = document.querySelector(".boot");
  if (boot) boot.textContent = `The engine did not start: ${error}`;
});

// Works offline after the first visit, where the browser allows it.
if ("serviceWorker" in navigator) navigator.serviceWorker.register("sw.js").catch(() => {});
