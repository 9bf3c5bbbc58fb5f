'use strict';
(() => {
  const byId = (id) => document.getElementById(id);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const entries = all('#models > .entry');
  const names = all('nav [data-of]');
  const drawing = byId('drawing');
  const svg = drawing.querySelector('svg');
  // The boxes are in the order of the models.
  const boxes = all('.model', svg).map((title) => title.parentNode);
  byId('tools').hidden = false;
  byId('zoom').hidden = false;

  // Search.
  const texts = entries.map((entry) => entry.textContent.toLowerCase());
  const search = byId('search');
  const find = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    entries.forEach((entry, n) => {
      const matches = words.every((word) => texts[n].includes(word));
      found += matches ? 1 : 0;
      entry.hidden = !matches;
      names[n].hidden = !matches;
      boxes[n]?.classList.toggle('dim', !matches);
    });
    byId('nothing').hidden = found > 0;
    byId('matches').textContent = words.length ? `${found} of ${entries.length} models` : '';
  };
  search.addEventListener('input', find);
  search.addEventListener('keydown', (event) => {
    const first = entries.find((entry) => !entry.hidden);
    if (event.key === 'Enter' && first) {
      location.hash = first.id;
      first.querySelector('summary').focus();
    }
  });

  // Zoom.
  const [width, height] = svg.getAttribute('viewBox').split(' ').slice(2).map(Number);
  let scale = 1;
  const zoom = (to) => {
    const [x, y] = [drawing.scrollLeft + drawing.clientWidth / 2, drawing.scrollTop + drawing.clientHeight / 2];
    const ratio = Math.min(4, Math.max(0.1, to)) / scale;
    scale *= ratio;
    svg.setAttribute('width', width * scale);
    svg.setAttribute('height', height * scale);
    drawing.scrollTo(x * ratio - drawing.clientWidth / 2, y * ratio - drawing.clientHeight / 2);
  };
  const steps = {
    in: () => zoom(scale * 1.25),
    out: () => zoom(scale / 1.25),
    fit: () => zoom(Math.min(1, drawing.clientWidth / width)),
    full: () => zoom(1),
  };
  all('[data-zoom]').forEach((button) => button.addEventListener('click', steps[button.dataset.zoom]));
  drawing.addEventListener('keydown', (event) => {
    const step = { '+': 'in', '=': 'in', '-': 'out', '0': 'fit' }[event.key];
    if (step && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      steps[step]();
    }
  });
  drawing.addEventListener('wheel', (event) => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      zoom(scale * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
    }
  }, { passive: false });
  steps.fit();

  // A drag moves the diagram, a click on a box leads to its model.
  let drag = null;
  drawing.addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'mouse' && event.button === 0) {
      drag = { x: event.clientX, y: event.clientY, left: drawing.scrollLeft, top: drawing.scrollTop, moved: false };
    }
  });
  window.addEventListener('pointermove', (event) => {
    if (!drag) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    drag.moved ||= Math.hypot(x, y) > 4;
    if (drag.moved) {
      drawing.classList.add('dragged');
      drawing.scrollTo(drag.left - x, drag.top - y);
    }
  });
  let wasDragged = false;
  window.addEventListener('pointerup', () => {
    wasDragged = Boolean(drag?.moved);
    drag = null;
    drawing.classList.remove('dragged');
  });
  boxes.forEach((box, n) => {
    box.classList.add('target');
    box.addEventListener('click', () => {
      if (!wasDragged && entries[n]) location.hash = entries[n].id;
    });
  });

  // Sections: those that a link leads to open, and all do on paper.
  const sections = all('details');
  byId('expand').addEventListener('click', () => sections.forEach((one) => { one.open = true; }));
  byId('collapse').addEventListener('click', () => sections.forEach((one) => { one.open = false; }));
  const show = () => {
    const target = byId(location.hash.slice(1));
    if (target?.matches('details')) {
      target.hidden = false;
      target.open = true;
      target.scrollIntoView();
    }
  };
  window.addEventListener('hashchange', show);
  show();
  let closed = [];
  window.addEventListener('beforeprint', () => {
    closed = sections.filter((one) => !one.open);
    closed.forEach((one) => { one.open = true; });
  });
  window.addEventListener('afterprint', () => closed.forEach((one) => { one.open = false; }));
})();
