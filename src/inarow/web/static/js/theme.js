// Runs before the first paint, so that the colours do not flash.
"use strict";
{
  const chosen = localStorage.getItem("inarow.theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
}
