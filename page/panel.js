// The panel: facts about run, machine and scene, and warnings.

function showPanel({ scene, sections, warnings, notes, scene_text }) {
  document.getElementById("title").textContent = scene;
  const list = document.getElementById("warnings");
  list.replaceChildren();
  const tell = (text, kind) => {
    const line = list.appendChild(document.createElement("p"));
    line.className = kind;
    line.textContent = text;
  };
  warnings.forEach((text) => tell(text, "warning"));
  notes.forEach((text) => tell(text, "note"));
  const facts = document.getElementById("facts");
  facts.replaceChildren();
  for (const { title, rows } of sections) {
    facts.appendChild(document.createElement("h2")).textContent = title;
    const body = facts.appendChild(document.createElement("table"));
    for (const row of rows) {
      const line = body.appendChild(document.createElement("tr"));
      for (const text of row) line.appendChild(document.createElement("td")).textContent = text;
    }
  }
  const text = document.createElement("pre");
  text.textContent = scene_text;
  document.getElementById("scene").replaceChildren(text);
  const value = (name) => sections.flatMap(({ rows }) => rows).find(([key]) => key === name)?.[1];
  document.getElementById("status").textContent =
    `${value("Status")}, ${value("Frames")} frames, ${value("Ranks")} × ${value("Threads of a rank")} threads`;
}

// Tabs of the panel.
function bindTabs(onShow) {
  const tabs = [...document.querySelectorAll("nav button")];
  for (const tab of tabs) {
    tab.addEventListener("click", () => {
      for (const other of tabs) {
        other.setAttribute("aria-pressed", String(other === tab));
        document.getElementById(other.dataset.tab).hidden = other !== tab;
      }
      onShow();
    });
  }
}
