"use strict";
Redoc.init("/openapi.json", { nativeScrollbars: true, requiredPropsFirst: true }, document.getElementById("viewer"));
