import init from "./pkg/tidepool_web.js";
init();
