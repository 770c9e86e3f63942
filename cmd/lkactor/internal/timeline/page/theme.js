// theme.js: colours, light or dark.

const colourNames = ["ground", "lane", "grid", "edge", "text", "dim", "chosen", "write", "refuse", "fail", "abort", "lapse", "many", "held", "wait"];

// makeTheme follows the choice of the reader, or the system where there is none.
function makeTheme(select, changed) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const theme = { dark: false, colours: {} };
  const apply = () => {
    theme.dark = select.value === "dark" || (select.value === "auto" && system.matches);
    document.documentElement.toggleAttribute("data-dark", theme.dark);
    document.documentElement.toggleAttribute("data-light", !theme.dark);
    const style = getComputedStyle(document.documentElement);
    for (const name of colourNames) theme.colours[name] = style.getPropertyValue("--" + name).trim();
    theme.fills = new Map();
    changed();
  };
  // fill gives the colour of a bar of that hue. The tones are those of the picture.
  theme.fill = (hue) => {
    let fill = theme.fills.get(hue);
    if (!fill) theme.fills.set(hue, (fill = theme.dark ? `hsl(${hue}, 42%, 34%)` : `hsl(${hue}, 62%, 76%)`));
    return fill;
  };
  select.addEventListener("change", apply);
  system.addEventListener("change", apply);
  theme.apply = apply;
  return theme;
}

// colourOf gives the colour of a sign.
function colourOf(theme, name) {
  const c = theme.colours;
  return { lapse: c.lapse, write: c.write, refuse: c.refuse, fail: c.fail, abort: c.abort, deadlock: c.abort, look: c.dim }[name] || c.text;
}
