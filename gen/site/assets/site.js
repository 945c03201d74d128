"use strict";
window.site = { ready: Promise.resolve() };
