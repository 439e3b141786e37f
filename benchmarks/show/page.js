'use strict';
// Everything is on the page without this. It adds: the value under the pointer, the row of a point, sorting,
// a filter, one series alone, and tables that fold their rows where they are wider than their place.
(() => {
  const all = (what, where = document) => [...where.querySelectorAll(what)];
  const tip = document.body.appendChild(document.createElement('div'));
  tip.id = 'tip';
  tip.hidden = true;
  let held = [];

  const hold = about => {
    for (const each of held) each.classList.remove('on');
    held = about ? all(`[data-c="${CSS.escape(about)}"], #${CSS.escape(about)}`) : [];
    for (const each of held) each.classList.add('on');
  };
  const show = (point, x, y) => {
    const title = point.querySelector('title');
    if (title) {  // moved aside, or the browser would show it as well
      point.dataset.text = title.textContent;
      title.remove();
    }
    if (!point.dataset.text) return;
    tip.textContent = point.dataset.text;
    tip.hidden = false;
    tip.style.left = `${Math.max(4, Math.min(x + 12, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${y + 14 + tip.offsetHeight > innerHeight ? y - tip.offsetHeight - 8 : y + 14}px`;
  };
  document.addEventListener('pointermove', event => {
    const point = event.target.closest && event.target.closest('svg .p, svg .spans path');
    if (!point) {
      tip.hidden = true;
      return;
    }
    show(point, event.clientX, event.clientY);
  });
  document.addEventListener('pointerover', event => {
    const from = event.target.closest && event.target.closest('[data-c], tbody tr[id]');
    hold(from ? from.dataset.c || from.id : '');
  });

  document.addEventListener('click', event => {
    const series = event.target.closest('svg [data-s]');
    const point = event.target.closest('svg [data-c]');
    if (point && document.getElementById(point.dataset.c)) location.hash = point.dataset.c;
    if (!series || !series.dataset.s) {
      if (!event.target.closest('a, button, input, summary')) document.body.classList.remove('isolated');
      return;
    }
    const again = document.body.classList.contains('isolated') && series.classList.contains('kept');
    document.body.classList.toggle('isolated', !again);
    for (const each of all('svg [data-s]')) each.classList.toggle('kept', each.dataset.s === series.dataset.s);
  });

  // The number that a text begins with, in the basic unit: "12.5 us", "4.1 GB/s", "2^20", "1 min 13 s".
  const prefixes = {n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, K: 1024, M: 1e6, G: 1e9, T: 1e12, P: 1e15};
  const quantity = text => {
    const found = text.match(/^[~±+]?\s*(-?[\d.]+(?:e[-+]?\d+)?)(?:\^(\d+))?\s*(min|h)?([numkKMGTP](?=i?[sBFJWH]|$))?(i)?(.*)$/);
    if (!found) return text;
    const [, number, power, long, prefix, binary, rest] = found;
    const value = Number(number) ** (power || 1);
    if (long) return value * (long === 'h' ? 3600 : 60) + (Number(quantity(rest.trim())) || 0);
    return value * (binary ? 1024 ** (1 + 'KMGTP'.indexOf(prefix)) : prefixes[prefix] || 1);
  };
  const value = (row, column) => {
    const cell = row.cells[column];
    if (!cell) return '';
    const text = cell.textContent.trim();
    const number = cell.tagName === 'TD' ? !cell.classList.contains('w') : cell.classList.contains('n');
    return number ? quantity(text) : text;
  };
  const compare = (a, b) => {
    if (typeof a === typeof b) return typeof a === 'number' ? a - b : a.localeCompare(b, undefined, {numeric: true});
    return typeof a === 'number' ? -1 : 1;
  };
  // A row goes with the remarks below it.
  const groups = body => {
    const found = [];
    for (const row of body.rows) {
      if (row.classList.contains('remark') && found.length) found[found.length - 1].push(row);
      else found.push([row]);
    }
    return found;
  };
  for (const table of all('table')) {
    const body = table.tBodies[0];
    if (!body || body.rows.length < 3 || body.querySelector('.across')) continue;
    all('thead th', table).forEach((head, column) => {
      const button = document.createElement('button');
      button.textContent = head.textContent;
      if (!head.textContent) return;
      head.replaceChildren(button);
      button.addEventListener('click', () => {
        const down = head.getAttribute('aria-sort') === 'ascending';
        all('thead th', table).forEach(other => other.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        const sorted = groups(body).sort((a, b) => (down ? -1 : 1) * compare(value(a[0], column), value(b[0], column)));
        body.append(...sorted.flat());
      });
    });
  }

  // A table that is wider than its place folds its rows between two columns, all at the same ones: no value is cut.
  // A matrix can not be read by its rows alone: it scrolls, and the names of its rows stay in sight.
  // Folded, the parts no longer look like those of a table to a screen reader, so they are called what they are.
  const roles = {TABLE: 'table', THEAD: 'rowgroup', TBODY: 'rowgroup', TR: 'row', TD: 'cell'};
  const role = part => roles[part.tagName] || (part.scope === 'col' ? 'columnheader' : 'rowheader');
  const widths = document.adoptedStyleSheets[document.adoptedStyleSheets.push(new CSSStyleSheet()) - 1];
  const rules = new Map();
  const fold = place => {
    const table = place.querySelector('table');
    table.classList.remove('folded');
    if (place.scrollWidth > place.clientWidth) {
      const cells = all('thead th', table).map(head => Math.min(Math.ceil(head.getBoundingClientRect().width), place.clientWidth));
      table.classList.add('folded');
      for (const part of [table, ...all('thead, tbody, tr, th, td', table)]) part.setAttribute('role', role(part));
      rules.set(table, cells.map((width, i) =>
        `.folded[data-n="${table.dataset.n}"] tr:not(.remark, .across) > :nth-child(${i + 1}) { flex-basis: ${width}px; }`));
    } else {
      rules.delete(table);
    }
  };
  // A closed section has no width until it is opened.
  const seen = new Map();
  const watch = new ResizeObserver(entries => {
    const changed = entries.filter(({target, contentRect}) => contentRect.width !== seen.get(target));
    for (const {target, contentRect} of changed) {
      seen.set(target, contentRect.width);
      fold(target);
    }
    if (changed.length) widths.replaceSync([...rules.values()].flat().join('\n'));
  });
  all('.scroll > table:not(.matrix)').forEach((table, n) => {
    table.dataset.n = n;
    watch.observe(table.parentElement);
  });

  // On paper nothing is closed.
  addEventListener('beforeprint', () => all('details').forEach(each => { each.open = true; }));

  // Each long table of cases has a filter of its own, which counts for its cases in figures too.
  for (const table of all('table')) {
    const rows = all('tbody tr[id]', table);
    if (rows.length <= 8) continue;
    const label = document.createElement('label');
    const box = document.createElement('input');
    box.type = 'search';
    label.append(`Filter these ${rows.length} cases `, box);
    const tools = document.createElement('p');
    tools.className = 'tools';
    tools.append(label);
    table.closest('.scroll').before(tools);
    box.addEventListener('input', () => {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of rows) {
        const text = `${row.textContent} ${row.dataset.id || ''}`.toLowerCase();
        row.hidden = !words.every(word => text.includes(word));
        for (let next = row.nextElementSibling; next && next.classList.contains('remark'); next = next.nextElementSibling) {
          next.hidden = row.hidden;
        }
        for (const point of all(`svg [data-c="${CSS.escape(row.id)}"]`)) point.toggleAttribute('hidden', row.hidden);
      }
    });
  }
})();
