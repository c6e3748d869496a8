public import Injectle

// The graph as one HTML file. The page is in this file, so that the library needs no resources.

extension Locator.Graph {
    /// The graph as an HTML file that needs nothing else: it loads nothing, and works without a server.
    ///
    /// ```swift
    /// import Foundation
    /// import Injectle
    /// import InjectleDiagnostics
    ///
    /// func writeGraph(of locator: Locator) throws {
    ///     try Data(locator.graph.html.utf8).write(to: URL(fileURLWithPath: "services.html"))
    /// }
    /// ```
    ///
    /// It draws the services in columns, from those that nothing needs to those that need nothing, and has a search,
    /// filters by module and lifetime, the findings, and the path from a service to the roots. See
    /// ``InjectleDiagnostics``.
    ///
    /// - Complexity: O(*n*) in the number of services, dependencies and findings.
    public var html: String {
        // The JSON has no `<`, so that no text of it ends the element.
        Locator.Graph.page.replacing("GRAPH", with: json, maxReplacements: 1)
    }

    private static let page = ##"""
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Services</title>
        <style>
        :root {
          --back: #fbfbfd; --panel: #ffffff; --text: #1d1d1f; --soft: #6e6e73; --line: #d8d8de; --edge: #8e8e99;
          --node: #ffffff; --accent: #0a60d0; --fault: #d42a20; --note: #a86a00;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --back: #16171a; --panel: #1f2024; --text: #ececf1; --soft: #9c9ca6; --line: #3a3b42; --edge: #74757f;
            --node: #26272c; --accent: #6cb0ff; --fault: #ff6d62; --note: #f0b040;
          }
        }
        * { box-sizing: border-box; }
        body { margin: 0; height: 100vh; display: grid; grid: auto 1fr / 1fr 340px; background: var(--back);
          color: var(--text); font: 14px/1.4 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
        header { grid-column: 1 / 3; display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; padding: 8px 14px;
          background: var(--panel); border-bottom: 1px solid var(--line); }
        h1 { font-size: 15px; margin: 0; } h2 { font-size: 13px; margin: 14px 0 4px; color: var(--soft); font-weight: 600; }
        #counts { color: var(--soft); margin-right: auto; }
        input, select, button { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line);
          border-radius: 6px; padding: 4px 8px; }
        #search { width: 220px; } select { max-width: 170px; } label { white-space: nowrap; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
        main { position: relative; min-width: 0; min-height: 0; overflow: hidden; }
        canvas { position: absolute; inset: 0; width: 100%; height: 100%; cursor: grab; touch-action: none; }
        canvas:focus-visible { outline-offset: -3px; }
        #legend { position: absolute; left: 10px; bottom: 10px; display: flex; flex-wrap: wrap; gap: 2px 12px; padding: 5px 10px;
          font-size: 12px; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; max-width: calc(100% - 20px); }
        #legend i { display: inline-block; width: 10px; height: 10px; border-radius: 3px; margin-right: 5px; }
        aside { border-left: 1px solid var(--line); background: var(--panel); overflow: auto; padding: 4px 14px 20px; min-height: 0; }
        ul { list-style: none; margin: 0; padding: 0; }
        aside button { display: block; width: 100%; text-align: left; border: 0; background: none; padding: 3px 6px; border-radius: 5px;
          overflow-wrap: anywhere; }
        aside button:hover, aside button[aria-current=true] { background: color-mix(in srgb, var(--accent) 14%, transparent); }
        aside small { color: var(--soft); } aside code { font-size: 12px; overflow-wrap: anywhere; }
        .fault { color: var(--fault); } .note { color: var(--note); }
        dl { display: grid; grid-template-columns: auto 1fr; gap: 1px 10px; margin: 4px 0; } dt { color: var(--soft); }
        dd { margin: 0; overflow-wrap: anywhere; } .finding { border-left: 3px solid currentColor; padding-left: 8px; margin: 6px 0; }
        .finding p { margin: 0; color: var(--text); } kbd { font: 12px ui-monospace, monospace; border: 1px solid var(--line);
          border-radius: 4px; padding: 0 4px; }
        @media (max-width: 800px) { body { grid: auto 1fr 40vh / 1fr; } header { grid-column: 1; }
          aside { border-left: 0; border-top: 1px solid var(--line); } }
        </style>
        </head>
        <body>
        <header>
          <h1 id="title"></h1><span id="counts"></span>
          <input id="search" type="search" placeholder="Search ( / )" aria-label="Search services" autocomplete="off">
          <select id="module" aria-label="Module"></select>
          <select id="lifetime" aria-label="Lifetime"></select>
          <label><input id="faulty" type="checkbox"> with findings</label>
          <button id="fit" title="Fit the page (0)">Fit</button>
        </header>
        <main>
          <canvas id="canvas" tabindex="0" role="application" aria-label="Graph of services. Arrow keys follow dependencies."></canvas>
          <div id="legend"></div>
        </main>
        <aside>
          <section id="details" aria-live="polite"></section>
          <h2 id="found"></h2>
          <ul id="results"></ul>
        </aside>
        <script type="application/json" id="graph">GRAPH</script>
        <script>
        "use strict";
        const graph = JSON.parse(document.getElementById("graph").textContent);
        const $ = id => document.getElementById(id);
        const services = graph.services, findings = graph.findings;
        const counts = [services.length, graph.dependencies.length];
        const isNote = finding => finding.isNote;
        const width = 156, height = 22, rowPitch = 28, columnPitch = 236, wrapPitch = 172;

        // MARK: Names and colors

        // Each missing service is a node, too.
        const missing = new Map();
        findings.forEach((finding, index) => {
          if (finding.kind !== "missing" || !finding.dependency || finding.dependencyLocation) return;
          const owners = services.filter(service => service.findings.includes(index));
          if (!missing.has(finding.dependency)) {
            const [type, key] = finding.dependency.split(" under the key ");
            missing.set(finding.dependency, { id: services.length + missing.size, type, key, lifetime: "missing", module: "",
              isolation: "", location: "", otherIdentities: [], findings: [], isMissing: true });
          }
          const to = missing.get(finding.dependency);
          to.findings.push(index);
          for (const owner of owners) graph.dependencies.push({ from: owner.id, to: to.id, kind: "required", isDeclared: true });
        });
        services.push(...missing.values());

        for (const service of services) {
          // Without the modules, also of generic arguments.
          service.short = service.type.replace(/\b[A-Za-z_]\w*\.(?=[A-Za-z_])/g, "").replace(/^any /, "");
          if (service.key) service.short += " " + service.key;
          service.text = [service.type, service.key, service.location, ...service.otherIdentities].join(" ").toLowerCase();
          service.faults = service.findings.filter(index => !isNote(findings[index]));
          service.needs = []; service.neededBy = [];
        }
        for (const edge of graph.dependencies) {
          edge.isImmediate = ["required", "optional", "list"].includes(edge.kind);
          services[edge.from].needs.push(edge);
          services[edge.to].neededBy.push(edge);
        }
        const values = name => [...new Set(services.map(service => service[name]))].filter(Boolean).sort();
        const hues = { "lazy": 212, "eager": 187, "volatile": 32, "per locator": 140, "weak": 272, "graph": 48, "factory": 16,
          "per argument": 170, "missing": 3 };
        // The others, such as the lifetimes of named locators, get the hues that are farthest from all others.
        const taken = ["missing", ...values("lifetime")].flatMap(lifetime => hues[lifetime] ?? []);
        const distance = hue => Math.min(...taken.map(other => Math.min(Math.abs(hue - other), 360 - Math.abs(hue - other))));
        for (const lifetime of values("lifetime")) {
          if (lifetime in hues) continue;
          let best = 0;
          for (let hue = 0; hue < 360; hue++) if (distance(hue) > distance(best)) best = hue;
          taken.push(hues[lifetime] = best);
        }
        const color = lifetime => `hsl(${hues[lifetime]} 65% 50%)`;

        // MARK: Layout: columns by the longest way from a service that nothing needs

        function ranks() {
          const state = new Uint8Array(services.length), order = [];
          for (const start of services) {
            if (state[start.id]) continue;
            const stack = [[start, 0]];
            state[start.id] = 1;
            while (stack.length) {
              const top = stack[stack.length - 1], edge = top[0].needs[top[1]++];
              if (!edge) { state[top[0].id] = 2; order.push(top[0]); stack.pop(); continue; }
              // A dependency that closes a circle leads backwards.
              if (state[edge.to] === 1) edge.isBack = true;
              if (state[edge.to] === 0) { state[edge.to] = 1; stack.push([services[edge.to], 0]); }
            }
          }
          const rank = new Int32Array(services.length);
          for (const service of order.reverse())
            for (const edge of service.needs) if (!edge.isBack) rank[edge.to] = Math.max(rank[edge.to], rank[service.id] + 1);
          // A service that nothing needs moves to the first one that it needs.
          for (const service of services)
            if (!service.neededBy.length && service.needs.length)
              rank[service.id] = Math.min(...service.needs.map(edge => rank[edge.to])) - 1;
          return rank;
        }

        function layout() {
          const rank = ranks(), columns = [], single = [];
          for (const service of services) {
            if (!service.needs.length && !service.neededBy.length) { single.push(service); continue; }
            (columns[Math.max(0, rank[service.id])] ??= []).push(service);
          }
          const mean = (service, edges, side) => {
            let sum = 0;
            for (const edge of edges) sum += services[edge[side]].y;
            return edges.length ? sum / edges.length : service.y;
          };
          columns.forEach(column => column.forEach((service, row) => { service.y = row * rowPitch; }));
          // Services near their neighbors: first their order, then their places.
          for (let sweep = 0; sweep < 24; sweep++) {
            const isForward = sweep % 2 === 0;
            const list = isForward ? columns : [...columns].reverse();
            for (const column of list) {
              if (!column) continue;
              for (const service of column)
                service.wish = isForward ? mean(service, service.neededBy, "from") : mean(service, service.needs, "to");
              column.sort((left, right) => left.wish - right.wish || left.id - right.id);
              let last = -Infinity, shift = 0;
              for (const service of column) { service.y = last = Math.max(service.wish, last + rowPitch); shift += service.wish - last; }
              for (const service of column) service.y += shift / column.length;
            }
          }
          // A column that is too high becomes several, and columns that are too many become several bands.
          const connected = services.length - single.length;
          const area = connected * columnPitch * rowPitch * 1.6;
          const rows = Math.max(14, Math.ceil(Math.sqrt(area / 1.5) / rowPitch));
          let x = 0, bottom = 0, high = 0, across = 0, band = [];
          const bandWidth = Math.max(1400, Math.sqrt(area * 1.5));
          const endBand = () => {
            // Each column has its middle at the same height.
            for (const column of band) {
              const [first, last] = [Math.min(...column.map(one => one.y)), Math.max(...column.map(one => one.y))];
              for (const service of column) service.y += bottom + (high - (last - first)) / 2 - first;
            }
            if (band.length) bottom += high + 3 * rowPitch;
            across = Math.max(across, x);
            [x, high, band] = [0, 0, []];
          };
          for (const column of columns) {
            if (!column) continue;
            if (x > bandWidth) endBand();
            const parts = Math.ceil(column.length / rows);
            const isTight = parts > 1 || column[column.length - 1].y - column[0].y > rows * rowPitch;
            column.forEach((service, index) => {
              service.x = x + (index % parts) * wrapPitch;
              if (isTight) service.y = Math.floor(index / parts) * rowPitch;
            });
            high = Math.max(high, Math.max(...column.map(one => one.y)) - Math.min(...column.map(one => one.y)));
            band.push(column);
            x += (parts - 1) * wrapPitch + columnPitch;
          }
          endBand();
          // Services without any dependency, below.
          const inRow = Math.max(4, Math.floor(Math.max(across, connected ? 1000 : Math.sqrt(single.length) * 480) / wrapPitch));
          single.forEach((service, index) => {
            service.x = index % inRow * wrapPitch;
            service.y = bottom + Math.floor(index / inRow) * rowPitch;
          });
        }
        layout();

        // MARK: State

        const canvas = $("canvas"), context = canvas.getContext("2d");
        const view = { x: 0, y: 0, scale: 1 };
        let selected = null, matching = new Set(services), ancestors = new Set(), results = [];
        let isFiltered = false;

        function matches(service, words) {
          return words.every(word => service.text.includes(word))
            && (!$("module").value || service.module === $("module").value)
            && (!$("lifetime").value || service.lifetime === $("lifetime").value)
            && (!$("faulty").checked || service.findings.length > 0);
        }

        function search() {
          const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
          results = services.filter(service => matches(service, words));
          isFiltered = results.length < services.length;
          matching = new Set(results);
          $("found").textContent = results.length === 1 ? "1 service" : `${results.length} services`;
          const shown = results.slice(0, 200).map(service => item(service));
          if (results.length > 200) {
            const more = document.createElement("li");
            more.textContent = `and ${results.length - 200} more`;
            shown.push(more);
          }
          $("results").replaceChildren(...shown);
          remember();
          draw();
        }

        function item(service, note = service.lifetime) {
          const button = document.createElement("button"), small = document.createElement("small"), li = document.createElement("li");
          button.textContent = service.short + " ";
          if (service.findings.length) {
            const mark = document.createElement("span");
            mark.className = service.faults.length ? "fault" : "note";
            mark.textContent = "● ";
            button.append(mark);
          }
          small.textContent = note;
          button.append(small);
          button.dataset.service = service.id;
          if (service === selected) button.setAttribute("aria-current", "true");
          button.onclick = () => select(service, true);
          li.append(button);
          return li;
        }

        /// The shortest way from a service that nothing needs.
        function pathToRoot(service) {
          const next = new Map([[service, null]]), queue = [service];
          for (const current of queue) {
            if (!current.neededBy.length) {
              const path = [];
              for (let step = current; step; step = next.get(step)) path.push(step);
              return path;
            }
            for (const edge of current.neededBy) {
              const dependent = services[edge.from];
              if (!next.has(dependent)) { next.set(dependent, current); queue.push(dependent); }
            }
          }
          return [service];
        }

        function select(service, moves) {
          selected = service;
          ancestors = new Set();
          if (service) {
            const queue = [service];
            for (const current of queue)
              for (const edge of current.neededBy) {
                const dependent = services[edge.from];
                if (!ancestors.has(dependent)) { ancestors.add(dependent); queue.push(dependent); }
              }
            if (moves) reveal(service);
          }
          for (const button of document.querySelectorAll("#results button"))
            button.toggleAttribute("aria-current", Number(button.dataset.service) === service?.id);
          describe(service);
          remember();
          draw();
        }

        function element(name, text, className) {
          const created = document.createElement(name);
          created.textContent = text;
          if (className) created.className = className;
          return created;
        }

        function describe(service) {
          const parts = [];
          if (!service) {
            parts.push(element("h2", findings.length ? "Findings" : "No findings"));
            for (const finding of findings.slice(0, 100)) parts.push(describeFinding(finding));
            const help = document.createElement("p");
            help.innerHTML = "<kbd>/</kbd> search, <kbd>↑</kbd> <kbd>↓</kbd> neighbors, <kbd>→</kbd> dependency, <kbd>←</kbd> dependent, "
              + "<kbd>n</kbd> next finding, <kbd>+</kbd> <kbd>-</kbd> zoom, <kbd>Shift</kbd> arrows pan, <kbd>0</kbd> fit, <kbd>Esc</kbd> back";
            parts.push(help);
          } else {
            parts.push(element("h2", "Service"), element("code", service.type + (service.key ? ", key " + service.key : "")));
            const list = document.createElement("dl");
            const add = (term, text) => { if (text) list.append(element("dt", term), element("dd", text)); };
            add("lifetime", service.lifetime + (service.isMissing ? "" : service.isCreated ? ", created" : ", not created"));
            add("also", service.otherIdentities.join(", "));
            add("runs on", service.isolation + (service.isAsync ? ", async" : ""));
            add("location", service.location);
            add("locator", service.locator);
            add("created by", service.creator);
            parts.push(list);
            for (const index of service.findings) parts.push(describeFinding(findings[index]));
            const groups = [["Path to the roots", pathToRoot(service).map(step => [step, step.lifetime])],
              ["Needs", service.needs.map(edge => [services[edge.to], state(edge)])],
              ["Needed by", service.neededBy.map(edge => [services[edge.from], state(edge)])]];
            for (const [title, members] of groups) {
              if (!members.length) continue;
              const list = document.createElement("ul");
              list.id = title.toLowerCase().replaceAll(" ", "-");
              list.append(...members.map(([member, note]) => item(member, note)));
              parts.push(element("h2", title), list);
            }
          }
          $("details").replaceChildren(...parts);
        }

        const state = edge => edge.kind + (edge.isDeclared ? "" : ", recorded only");

        function describeFinding(finding) {
          const box = element("div", "", "finding " + (isNote(finding) ? "note" : "fault"));
          box.append(element("strong", finding.kind), element("p", finding.message), element("small", "fix: " + finding.fix));
          const index = findings.indexOf(finding), service = services.find(one => one.findings.includes(index));
          if (service && service !== selected) { box.tabIndex = 0; box.style.cursor = "pointer";
            box.onclick = () => select(service, true); box.onkeydown = event => { if (event.key === "Enter") select(service, true); }; }
          return box;
        }

        // MARK: Drawing

        let isDrawing = false;
        function draw() {
          if (isDrawing) return;
          isDrawing = true;
          requestAnimationFrame(() => { isDrawing = false; paint(); });
        }

        function paint() {
          const style = getComputedStyle(document.documentElement), css = name => style.getPropertyValue(name).trim();
          const ratio = devicePixelRatio || 1, [w, h] = [canvas.clientWidth, canvas.clientHeight];
          if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
            canvas.width = Math.round(w * ratio); canvas.height = Math.round(h * ratio);
          }
          context.setTransform(ratio, 0, 0, ratio, 0, 0);
          context.clearRect(0, 0, w, h);
          const { x, y, scale } = view, left = -x / scale, top = -y / scale, right = (w - x) / scale, bottom = (h - y) / scale;
          context.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * x, ratio * y);
          const isNear = edge => edge.from === selected?.id || edge.to === selected?.id;
          const isOnWay = edge => selected && (edge.to === selected.id || ancestors.has(services[edge.to])) && ancestors.has(services[edge.from]);
          const groups = new Map();
          for (const edge of graph.dependencies) {
            const [from, to] = [services[edge.from], services[edge.to]];
            if (Math.min(from.x, to.x) > right || Math.max(from.x, to.x) + width < left
              || Math.min(from.y, to.y) > bottom || Math.max(from.y, to.y) + height < top) continue;
            const isVisible = matching.has(from) && matching.has(to);
            const isOfCycle = edge.isBack && from.findings.some(index => findings[index].kind === "cycle" && to.findings.includes(index));
            const key = (isOfCycle ? 8 : 0) + (isOnWay(edge) || isNear(edge) ? 4 : 0) + (edge.isImmediate ? 0 : 2) + (isVisible ? 1 : 0);
            if (!groups.has(key)) groups.set(key, []);
            groups.get(key).push(edge);
          }
          const sorted = [...groups].sort((one, other) => one[0] - other[0]);
          for (const [key, edges] of sorted) if (key < 8) stroke(key, edges, css);
          context.setLineDash([]);
          const hasText = height * scale >= 8, size = Math.max(12, 9 / scale);
          context.font = `${Math.min(size, height * 0.92)}px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif`;
          context.textBaseline = "middle";
          for (const service of services) {
            if (service.x > right || service.x + width < left || service.y > bottom || service.y + height < top) continue;
            const isLit = service === selected || ancestors.has(service) || selected && (service.neededBy.some(isNear) || service.needs.some(isNear));
            context.globalAlpha = !matching.has(service) ? 0.1 : selected && !isLit ? 0.4 : 1;
            box(service, hasText ? 5 : 2);
            context.fillStyle = hasText ? css("--node") : service.faults.length ? css("--fault") : color(service.lifetime);
            if (!hasText && !service.faults.length) context.globalAlpha *= 0.75;
            context.fill();
            context.lineWidth = (service.findings.length ? 2 : 1) / Math.min(1, Math.max(scale, 0.3));
            context.strokeStyle = service.faults.length ? css("--fault") : service.findings.length ? css("--note") : css("--line");
            if (!hasText && service.faults.length) context.strokeStyle = css("--text");
            if (service === selected) { context.strokeStyle = css("--accent"); context.lineWidth *= 3; }
            context.setLineDash(service.isMissing ? [4, 3] : []);
            context.stroke();
            if (!hasText) continue;
            context.fillStyle = color(service.lifetime);
            context.fillRect(service.x + 1, service.y + 3, 4, height - 6);
            context.fillStyle = css("--text");
            context.fillText(fitting(service, (width - 16)), service.x + 10, service.y + height / 2 + 0.5);
          }
          // What closes a cycle leads backwards, over the services between.
          for (const [key, edges] of sorted) if (key >= 8) stroke(key, edges, css);
          context.setLineDash([]);
          context.globalAlpha = 1;
        }

        function stroke(key, edges, css) {
          context.beginPath();
          for (const edge of edges) curve(services[edge.from], services[edge.to]);
          context.setLineDash(key & 2 ? [5, 4] : []);
          context.strokeStyle = css(key & 8 ? "--fault" : key & 4 ? "--accent" : "--edge");
          context.lineWidth = (key & 12 ? 1.8 : 0.9) / Math.min(1, Math.max(view.scale, 0.35));
          context.globalAlpha = key & 4 || key === 9 && !selected ? 0.95 : (key & 1 ? (selected ? 0.18 : 0.42) : 0.06);
          context.stroke();
        }

        function box(service, radius) {
          context.beginPath();
          context.roundRect(service.x, service.y, width, height, radius);
        }

        function curve(from, to) {
          const [x1, y1, x2, y2] = [from.x + width, from.y + height / 2, to.x, to.y + height / 2];
          context.moveTo(x1, y1);
          const bend = x2 > x1 ? Math.max(24, (x2 - x1) / 2) : 90;
          context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
        }

        let widths = new Map(), font = "";
        function fitting(service, room) {
          if (font !== context.font) { font = context.font; widths = new Map(); }
          if (!widths.has(service)) {
            // Without the middle: names of one program often begin or end alike.
            let text = service.short;
            for (let kept = text.length - 1; kept > 1 && context.measureText(text).width > room; kept--)
              text = service.short.slice(0, Math.ceil(kept / 2)) + "…" + service.short.slice(-Math.floor(kept / 2));
            widths.set(service, text);
          }
          return widths.get(service);
        }

        // MARK: Moving

        function fit() {
          const shown = isFiltered && results.length ? results : services;
          if (!shown.length || !canvas.clientWidth) return;
          const [x1, y1] = [Math.min(...shown.map(one => one.x)), Math.min(...shown.map(one => one.y))];
          const [x2, y2] = [Math.max(...shown.map(one => one.x)) + width, Math.max(...shown.map(one => one.y)) + height];
          const [w, h] = [canvas.clientWidth - 40, canvas.clientHeight - 40 - $("legend").offsetHeight];
          view.scale = Math.min(w / (x2 - x1), h / (y2 - y1), 1.6);
          view.x = 20 + (w - (x2 - x1) * view.scale) / 2 - x1 * view.scale;
          view.y = 20 + (h - (y2 - y1) * view.scale) / 2 - y1 * view.scale;
          draw();
        }

        function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
          const scale = Math.min(4, Math.max(0.02, view.scale * factor));
          view.x = x - (x - view.x) * scale / view.scale;
          view.y = y - (y - view.y) * scale / view.scale;
          view.scale = scale;
          draw();
        }

        function reveal(service) {
          if (view.scale < 0.7) view.scale = 0.9;
          const [x, y] = [service.x * view.scale + view.x, service.y * view.scale + view.y];
          if (x > 20 && y > 20 && x < canvas.clientWidth - 200 && y < canvas.clientHeight - 60) return;
          view.x = canvas.clientWidth / 2 - (service.x + width / 2) * view.scale;
          view.y = canvas.clientHeight / 2 - (service.y + height / 2) * view.scale;
        }

        function at(event) {
          const [x, y] = [(event.offsetX - view.x) / view.scale, (event.offsetY - view.y) / view.scale];
          return services.find(one => x >= one.x && x <= one.x + width && y >= one.y && y <= one.y + height) ?? null;
        }

        let drag = null;
        canvas.onpointerdown = event => { drag = { x: event.clientX, y: event.clientY, moved: false }; canvas.setPointerCapture(event.pointerId); };
        canvas.onpointermove = event => {
          if (!drag) { const service = at(event); canvas.title = service ? `${service.type}: ${service.lifetime}` : ""; return; }
          const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
          if (!drag.moved && Math.hypot(dx, dy) < 4) return;
          view.x += dx; view.y += dy;
          drag = { x: event.clientX, y: event.clientY, moved: true };
          draw();
        };
        canvas.onpointerup = event => { if (drag && !drag.moved) select(at(event)); drag = null; };
        canvas.onpointercancel = () => { drag = null; };
        canvas.addEventListener("wheel", event => {
          event.preventDefault();
          zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016)), event.offsetX, event.offsetY);
        }, { passive: false });

        function neighbor(key) {
          if (!selected) return results[0] ?? services[0];
          if (key === "ArrowRight") return selected.needs.map(edge => services[edge.to])[0];
          if (key === "ArrowLeft") return selected.neededBy.map(edge => services[edge.from])[0];
          const sign = key === "ArrowDown" ? 1 : -1;
          return services.filter(one => matching.has(one) && Math.abs(one.x - selected.x) < 1 && (one.y - selected.y) * sign > 0)
            .sort((left, right) => (left.y - right.y) * sign)[0];
        }

        document.addEventListener("keydown", event => {
          if (event.metaKey || event.ctrlKey || event.altKey) return;
          const isTyping = event.target.matches("input[type=search], select");
          if (event.key === "Escape") {
            if (isTyping && $("search").value) { $("search").value = ""; search(); } else { select(null); canvas.focus(); }
          } else if (event.target === $("search") && event.key === "Enter") {
            if (results[0]) { select(results[0], true); canvas.focus(); }
          } else if (event.target === $("search") && event.key === "ArrowDown" || event.target.matches("#results button") && event.key.startsWith("Arrow")) {
            const buttons = [...document.querySelectorAll("#results button")], index = buttons.indexOf(event.target);
            const next = buttons[event.key === "ArrowUp" ? index - 1 : index + 1] ?? $("search");
            next.focus(); event.preventDefault();
          } else if (isTyping) {
            return;
          } else if (event.key === "/") {
            $("search").focus(); $("search").select(); event.preventDefault();
          } else if (event.key === "+" || event.key === "=") { zoom(1.25);
          } else if (event.key === "-") { zoom(0.8);
          } else if (event.key === "0" || event.key === "f") { fit();
          } else if (event.key === "n") {
            const faulty = services.filter(one => one.findings.length);
            if (faulty.length) select(faulty[(faulty.indexOf(selected) + 1) % faulty.length], true);
          } else if (event.key.startsWith("Arrow") && event.target === canvas) {
            event.preventDefault();
            if (event.shiftKey) {
              view.x += { ArrowLeft: 80, ArrowRight: -80 }[event.key] ?? 0;
              view.y += { ArrowUp: 80, ArrowDown: -80 }[event.key] ?? 0;
              draw();
            } else {
              const next = neighbor(event.key);
              if (next) select(next, true);
            }
          }
        });

        // MARK: The address remembers the search and the selection

        function remember() {
          const parameters = new URLSearchParams();
          if ($("search").value) parameters.set("q", $("search").value);
          for (const id of ["module", "lifetime"]) if ($(id).value) parameters.set(id, $(id).value);
          if (selected) parameters.set("service", selected.id);
          try { history.replaceState(null, "", "#" + parameters); } catch { /* A file in a frame has no history. */ }
        }

        function begin() {
          $("title").textContent = document.title = "Services of " + graph.locator;
          const faults = findings.filter(finding => !isNote(finding)).length;
          $("counts").textContent = `${counts[0]} services, ${counts[1]} dependencies, ${faults} faults`;
          for (const [id, name] of [["module", "all modules"], ["lifetime", "all lifetimes"]]) {
            $(id).append(new Option(name, ""), ...values(id).map(value => new Option(value, value)));
            $(id).onchange = () => { search(); fit(); };
          }
          for (const lifetime of values("lifetime")) {
            const entry = document.createElement("span"), mark = document.createElement("i");
            mark.style.background = color(lifetime);
            entry.append(mark, `${lifetime} ${services.filter(one => one.lifetime === lifetime).length}`);
            $("legend").append(entry);
          }
          const parameters = new URLSearchParams(location.hash.slice(1));
          $("search").value = parameters.get("q") ?? "";
          for (const id of ["module", "lifetime"]) $(id).value = parameters.get(id) ?? "";
          $("search").oninput = search;
          $("faulty").onchange = () => { search(); fit(); };
          $("fit").onclick = fit;
          const start = services[parameters.get("service") ?? -1] ?? null;
          search();
          fit();
          select(start, true);
          let size = 0;
          new ResizeObserver(() => {
            if (size && Math.abs(size - canvas.clientWidth * canvas.clientHeight) < 1) return;
            size = canvas.clientWidth * canvas.clientHeight;
            draw();
          }).observe(canvas);
          matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
        }
        begin();
        </script>
        </body>
        </html>
        """##
}
