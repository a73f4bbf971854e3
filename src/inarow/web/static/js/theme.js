// Runs before the first paint, so that nobody sees the wrong colours.
"use strict";
{
  const chosen = localStorage.getItem("inarow.theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
}
