// The script of a site: shows the data of the page as a reference, and the differences between its bundles.
// Invariants: texts of CRDs are set as text; only `data.texts`, which gen/site makes safe, are HTML.
// There are no requests and no timers. What an address (`#/…`) names is all the state of a view.
'use strict';
(() => {
const $ = id => document.getElementById(id);
const root = document.documentElement;
root.classList.remove('no-js');

// ---- Elements and texts

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;
const escapeChar = x => x.length > 1 ? `\\u{${x.codePointAt(0).toString(16)}}` : '\\u' + x.charCodeAt(0).toString(16).padStart(4, '0');
// Text with invisible characters as escapes, shortened if very long.
const visible = (text, limit = 3000) => {
  text = String(text);
  const cut = text.length > limit ? `${text.slice(0, limit)}… (${text.length.toLocaleString('en')} characters)` : text;
  return cut.replace(HIDDEN, escapeChar);
};
// An element. `kind` is a tag with classes, such as `span.badge.since`.
function h(kind, props, ...kids) {
  const [tag, ...classes] = kind.split('.');
  const e = document.createElement(tag);
  if (classes.length) e.className = classes.join(' ');
  for (const k in props) {
    const v = props[k];
    if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else if (v === true) e.setAttribute(k, '');
    else if (v !== false && v != null) e.setAttribute(k, v);
  }
  add(e, kids);
  return e;
}
function add(e, kids) {
  for (const k of kids) {
    if (Array.isArray(k)) add(e, k);
    else if (k instanceof Node) e.append(k);
    else if (k != null && k !== false && k !== '') e.append(visible(k));
  }
  return e;
}
// A sentence with `code` in backticks.
const rich = text => visible(text).split('`').map((part, i) => i % 2 ? h('code', null, part) : part);
const json = v => typeof v === 'string' ? v === '' ? '""' : v : JSON.stringify(v);
const count = (n, one, many = one + 's') => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
const pageTitle = document.title;
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const badge = (cls, text, title) => h('span.badge.' + cls, { title }, text);

// ---- Data

let data, R, C;                 // the data, its releases, its channels
// What a release is called: a bundle has channels.
const noun = () => C.length > 1 ? 'bundle' : 'release';
const Noun = () => C.length > 1 ? 'Bundle' : 'Release';
const byName = new Map();       // CRDs by name
const rowsOf = new Map();       // rows of graduation by CRD and path
const BOTH = 2;

async function decode() {
  const text = $('data').textContent.trim();
  const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), c => c.charCodeAt(0));
  $('data').textContent = '';
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).json();
}

// The value of change points in a release and channel.
function at(points, r, c) {
  let v = -1;
  for (const p of points) { if (p[0] > r) break; v = p[1 + c]; }
  return v;
}
// The same for a chosen channel, which may be both: experimental first.
function pick(points, r, c, none = -1) {
  if (c !== BOTH) return at(points, r, c);
  const e = at(points, r, 1);
  return e > none ? e : at(points, r, 0);
}
const has = (crd, r, c) => pick(crd.in, r, c, 0) > 0;
const live = (node, r, c) => pick(node.s, r, c) >= 0;
const stateOf = (node, r, c) => data.states[pick(node.s, r, c)];
const factsOf = (version, r, c) => data.facts[pick(version.facts, r, c)];
const kids = (node, r, c) => (node.c || []).filter(k => live(k, r, c));
const isItem = node => node.n === '[]' || node.n === '{}';
const join = (path, n) => n === '' ? '' : n === '[]' || n === '{}' ? path + '[*]' : path ? `${path}.${n}` : n;
const item = (node, r, c) => (node.c || []).find(k => isItem(k) && live(k, r, c));
const releaseIndex = v => typeof v === 'number' ? v : R.findIndex(x => x.version === v);
const channelName = c => c === BOTH ? 'both' : C[c];
// API versions as Kubernetes orders them: v2, v1, v1beta1, v1alpha2.
const rank = v => { const m = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(v); return m ? [m[2] ? m[2] === 'beta' ? 1 : 0 : 2, +m[1], +(m[3] || 0)] : [-1, 0, 0]; };
const byRank = (a, b) => { const x = rank(a.name), y = rank(b.name); return y[0] - x[0] || y[1] - x[1] || y[2] - x[2] || (a.name < b.name ? -1 : 1); };
const versions = (crd, r, c) => crd.versions.filter(v => pick(v.facts, r, c) >= 0).sort(byRank);
// First release of the current presence up to release r.
function since(points, c, r) {
  let first = -1;
  for (const p of points) { if (p[0] > r) break; if (p[1 + c] < 0) first = -1; else if (first < 0) first = p[0]; }
  return first;
}
// The release after r in which the channel loses the node, or -1.
const goneIn = (points, c, r) => { for (const p of points) if (p[0] > r && p[1 + c] < 0) return p[0]; return -1; };

// The nodes from the root to a path. `[]` is `[*]`, and `[*]` may be missing.
function trail(version, path) {
  const go = (node, rest, up) => {
    const here = [...up, node];
    if (rest === '') return here;
    for (const k of node.c || []) {
      const seg = isItem(k) ? '[*]' : k.n, own = rest.startsWith('.') && !isItem(k) ? rest.slice(1) : rest;
      if (own.startsWith(seg) && (own.length === seg.length || '.['.includes(own[seg.length]))) {
        const found = go(k, own.slice(seg.length), here);
        if (found) return found;
      }
    }
    const only = node.c && node.c.length === 1 && isItem(node.c[0]) && node.c[0];
    return only && rest[0] !== '[' ? go(only, rest, here) : null;
  };
  return go(version.root, path.replaceAll('[]', '[*]').replaceAll('{}', '[*]'), []);
}
const pathOf = nodes => nodes.reduce((p, n) => join(p, n.n), '');
const versionOf = (crd, name) => crd && crd.versions.find(v => v.name === name);

function typeOf(node, r, c) {
  const s = stateOf(node, r, c) || {}, inner = item(node, r, c);
  if (s['x-kubernetes-int-or-string']) return 'int-or-string';
  if (s.type === 'array') return '[]' + (inner ? typeOf(inner, r, c) : 'any');
  if (inner) return 'map[string]' + typeOf(inner, r, c);
  if (s.additionalProperties) return 'map[string]any';
  return !s.type ? 'any' : s.format ? `${s.type} (${s.format})` : s.type;
}
// The schema of an API version as it was, without descriptions.
function rebuild(node, r, c) {
  const schema = structuredClone(stateOf(node, r, c)), own = [];
  for (const k of kids(node, r, c)) {
    if (k.n === '[]') schema.items = rebuild(k, r, c);
    else if (k.n === '{}') schema.additionalProperties = rebuild(k, r, c);
    else own.push([k.n, rebuild(k, r, c)]);
  }
  if (own.length) schema.properties = Object.fromEntries(own);
  return schema;
}
function countFields(node, r, c, total = { all: 0, experimental: 0 }) {
  for (const k of kids(node, r, c)) {
    if (!isItem(k)) { total.all++; if (C.length > 1 && at(k.s, r, 0) < 0) total.experimental++; }
    countFields(k, r, c, total);
  }
  return total;
}

// ---- Addresses

const encode = s => encodeURIComponent(s.toWellFormed ? s.toWellFormed() : s).replace(/%(5B|5D|2F)/g, decodeURIComponent);
const decodePart = s => { try { return decodeURIComponent(s); } catch { return s; } };
function query(r, c) {
  const q = [];
  if (r !== data.newest) q.push('bundle=' + encode(R[r].version));
  if (c !== 0) q.push('channel=' + channelName(c));
  return q.length ? '?' + q.join('&') : '';
}
const link = (crd, version, path, r = now.r, c = now.c) => `#/${encode(crd)}/${encode(version)}${path ? '/' + encode(path) : ''}${query(r, c)}`;
const diffLink = (from, to, c) => `#/diff?from=${encode(R[from].version)}&to=${encode(R[to].version)}&channel=${channelName(c)}`;

let now = { view: '', r: 0, c: 0 };
function parse(hash) {
  const [route, q = ''] = hash.replace(/^#\/?/, '').split('?');
  const params = new Map(q.split('&').map(x => x.split('=').map(decodePart)));
  const parts = route.split('/'), channel = params.get('channel'), bundle = params.get('bundle');
  const to = { params, crd: decodePart(parts[0]), version: decodePart(parts[1] || ''), path: decodePart(parts.slice(2).join('/')), problem: '' };
  to.view = ['diff', 'clients', 'graduation'].includes(to.crd) ? to.crd : to.crd ? 'kind' : 'home';
  to.r = bundle ? releaseIndex(bundle) : data.newest;
  to.c = !channel ? 0 : channel === 'both' && C.length > 1 ? BOTH : C.indexOf(channel);
  to.given = !!channel;
  if (to.r < 0) { to.problem = `The ${noun()} ${bundle} is not in this page`; to.hints = nearest(bundle, R.map(x => x.version)).map(v => [v, hash.replace(/bundle=[^&]*/, 'bundle=' + encode(v))]); to.r = data.newest; }
  if (to.c < 0) { to.problem = `The channel ${channel} is not in this page`; to.hints = C.map(x => [x, hash.replace(/channel=[^&]*/, 'channel=' + x)]); to.c = 0; }
  return to;
}

// Edit distance, at most `max` + 1.
function distance(a, b, max) {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length];
}
function nearest(text, names, most = 5) {
  const a = text.toLowerCase().slice(0, 200), max = Math.max(3, a.length >> 1);
  return [...new Set(names)].map(n => [distance(a, n.toLowerCase().slice(0, 200), max), n]).filter(x => x[0] <= max)
    .sort((x, y) => x[0] - y[0]).slice(0, most).map(x => x[1]);
}

// ---- Reference

const plain = html => html.replace(/<[^>]*>/g, '').replace(/&(lt|gt|quot|#39|#x27|amp);/g, (_, n) => ({ lt: '<', gt: '>', quot: '"', amp: '&' })[n] || "'");
const textId = (node, c) => !node.d ? -1 : c === 0 ? node.d[0] >= 0 || C.length < 2 ? node.d[0] : node.d[1] : node.d[1] >= 0 ? node.d[1] : node.d[0];
function words(node, c) {
  const id = textId(node, c);
  if (id < 0) return null;
  const e = h('div.text');
  e.innerHTML = data.texts[id];
  return e;
}
function firstSentence(node, c) {
  const id = textId(node, c);
  if (id < 0) return '';
  const p = plain(data.texts[id].split('</p>')[0]).replace(/\s+/g, ' ').trim();
  const m = /^.{12,}?[.:](?= [A-Z]|$)/.exec(p.slice(0, 400));
  return m ? m[0] : p.slice(0, 200);
}
const isDeprecated = (node, c) => /<p>\s*(<\w+>)?deprecated\b/i.test(data.texts[textId(node, c)] || '');
const chips = values => h('ul.chips', null, values.map(v => h('li', null, v)));
const code = v => h('code', null, json(v));
const span = (min, max, unit) => min == null && max == null ? null : (min === max ? `exactly ${min}` : max == null ? `at least ${min}` : min == null ? `at most ${max}` : `${min} to ${max}`) + unit;
const SHOWN = new Set(('type format default minLength maxLength minItems maxItems minProperties maxProperties minimum maximum exclusiveMinimum exclusiveMaximum multipleOf pattern enum ' +
  'required nullable uniqueItems x-kubernetes-list-type x-kubernetes-list-map-keys x-kubernetes-map-type x-kubernetes-preserve-unknown-fields x-kubernetes-embedded-resource x-kubernetes-int-or-string x-kubernetes-validations').split(' '));

// Whether it only repeats that both integers and texts are allowed.
const isIntOrString = (k, s) => k === 'anyOf' && s['x-kubernetes-int-or-string'] && same(s.anyOf, [{ type: 'integer' }, { type: 'string' }]);
// What a state says, as rows of label and value. `other` is the state in standard, to mark what it lacks.
function factRows(s, other, values) {
  const lacks = (key, v) => other && !(other[key] || []).some(x => same(x, v));
  const rows = [
    ['Default', 'default' in s && code(s.default)],
    ['Length', span(s.minLength, s.maxLength, ' characters')],
    ['Items', span(s.minItems, s.maxItems, '')],
    ['Properties', span(s.minProperties, s.maxProperties, '')],
    ['Value', span(s.minimum, s.maximum, (s.exclusiveMinimum ? ', minimum excluded' : '') + (s.exclusiveMaximum ? ', maximum excluded' : ''))],
    ['Multiple of', s.multipleOf],
    ['Pattern', s.pattern != null && code(s.pattern)],
    ['Values', s.enum && chips(s.enum.map(v => [code(v), lacks('enum', v) && [' ', values(v)]]))],
    ['Null', s.nullable && 'allowed'],
    ['List', s['x-kubernetes-list-type'] && [s['x-kubernetes-list-type'], s['x-kubernetes-list-map-keys'] && [', keys ', s['x-kubernetes-list-map-keys'].map((k, i) => [i ? ', ' : '', code(k)])]]],
    ['Items are', s.uniqueItems && 'unique'],
    ['Map', s['x-kubernetes-map-type']],
    ['Unknown fields', s['x-kubernetes-preserve-unknown-fields'] && 'preserved'],
    ['Embedded', s['x-kubernetes-embedded-resource'] && 'a resource with apiVersion, kind and metadata'],
    ['Additional properties', s.additionalProperties != null && (s.additionalProperties === true ? 'of any type' : 'none')],
  ];
  for (const k in s) if (!SHOWN.has(k) && k !== 'additionalProperties' && !isIntOrString(k, s)) rows.push([k, h('code.raw', null, JSON.stringify(s[k], null, 1))]);
  return rows;
}
const dl = rows => { rows = rows.filter(([, v]) => v && v.length !== 0); return rows.length ? h('dl.facts', null, rows.map(([k, v]) => h('div', null, h('dt', null, k), h('dd', null, v)))) : null; };
const percent = x => x < 0.001 ? 'under 0.1\u00a0%' : `${(x * 100).toFixed(x < 0.1 ? 1 : 0)}\u00a0%`;
const bar = x => h('span.bar' + (x > 1 ? '.over' : ''), { 'aria-hidden': 'true' }, (b => { b.style.width = Math.min(100, Math.max(1, x * 100)) + '%'; return b; })(h('span')));

function ruleList(node, ctx, other, marks) {
  const rules = stateOf(node, ctx.r, ctx.c)['x-kubernetes-validations'];
  if (!rules) return null;
  const costs = ctx.r === data.newest && node.k && node.k[ctx.c === BOTH ? pick(node.s, ctx.r, 1) >= 0 ? 1 : 0 : ctx.c] || [];
  return h('div.rules', null, h('p.label', null, rules.length === 1 ? 'Validation rule' : 'Validation rules'), h('ol', null, rules.map((x, i) => h('li.rule', null,
    h('code.cel', null, x.rule),
    other && !(other['x-kubernetes-validations'] || []).some(y => y.rule === x.rule) && marks(x.rule),
    x.message != null && h('p.message', null, x.message),
    x.messageExpression != null && h('p.message', null, 'Message: ', h('code', null, x.messageExpression)),
    h('p.meta', null, [x.reason != null && ['reason ', code(x.reason)], x.fieldPath != null && ['reported at ', code(x.fieldPath)], x.optionalOldSelf && [code('oldSelf'), ' is optional'],
      costs[i] != null && h('span.cost', { title: `${costs[i].toLocaleString('en')} of ${data.costs.rule.toLocaleString('en')}` }, 'cost ', bar(costs[i] / data.costs.rule), ` ${percent(costs[i] / data.costs.rule)} of the limit`)]
      .filter(Boolean).map(x => h('span', null, x)))))));
}

// Rows of the graduation table about a node: the field, a value or a rule.
const rowFor = (crd, path, kind, test = () => true) => (rowsOf.get(crd + '\n' + path) || []).find(x => x.kind === kind && test(x));
function eligibility(row) {
  if (!row) return badge('experimental', 'experimental');
  const lacks = row.criteria.filter(x => x.state !== 'met').map(x => `${x.name} ${x.state}: ${x.text}`), title = [...row.blockers, ...lacks].join('\n');
  if (row.blockers.length) return badge('experimental', 'experimental, blocked', title);
  if (!row.eligible) return badge('experimental', 'experimental', title);
  return badge('experimental', `experimental, eligible from ${row.eligible.date} in ${row.eligible.bundle}`, title);
}
// The features that a field or its values need, and the projects that pass them.
function featureRows(crd, path, version) {
  const rows = data.features.filter(x => x.crd === crd && x.path === path && x.versions.includes(version));
  return rows.map(x => [['Needs', x.value != null && [' for ', code(x.value)]], [x.features.join(' or '), '; ', x.passing.length ? h('details', null, h('summary', null, `${count(x.passing.length, 'implementation')} ${x.passing.length === 1 ? 'passes' : 'pass'} it`), x.passing.join(', ')) : 'no report passes it']]);
}
const onlyExperimental = (points, r, c) => C.length > 1 && c > 0 && at(points, r, 0) < 0;

// Keywords that differ between two states, each with its old and new value.
function keywordDiff(a, b) {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].sort().filter(k => !same(a[k], b[k])).map(k => ({ key: k, old: a[k], new: b[k] }));
}
function historyRow(points, c, ctx) {
  const out = [];
  let last = -1;
  for (const p of points) {
    const v = p[1 + c];
    if (v === last) continue;
    const what = last < 0 ? out.length ? 'again since ' : 'since ' : v < 0 ? 'removed in ' : 'changed in ';
    const keys = last >= 0 && v >= 0 ? keywordDiff(data.states[last], data.states[v]).map(x => x.key.replace('x-kubernetes-', '')) : [];
    out.push([out.length ? '; ' : '', what, p[0] > 0 ? h('a', { href: diffLink(p[0] - 1, p[0], c) }, R[p[0]].version) : R[0].version, keys.length ? ` (${keys.join(', ')})` : '']);
    last = v;
  }
  return out;
}

// What is said about a node and, for lists and maps, about its items.
function about(node, path, ctx) {
  const { r, c, crd } = ctx, out = [];
  for (let n = node, p = path, depth = 0; n; n = item(n, r, c), p += '[*]', depth++) {
    const s = stateOf(n, r, c), std = C.length > 1 && c > 0 && at(n.s, r, 0) >= 0 ? data.states[at(n.s, r, 0)] : null;
    const facts = dl(factRows(s, std, v => eligibility(rowFor(crd.name, p, 'value', x => x.text === json(v)))));
    const diffs = c === BOTH && std ? keywordDiff(std, s) : [];
    const parts = [words(n, c), facts, ruleList(n, ctx, std, rule => eligibility(rowFor(crd.name, p, 'rule', x => x.text === rule))),
      diffs.length && h('div', null, h('p.label', null, 'Standard and experimental differ'), changes(diffs, 'standard', 'experimental'))].filter(Boolean);
    if (depth && parts.length) out.push(h('p.label', null, n.n === '{}' ? 'Each value' : 'Each item', ' ', h('span.type', null, typeOf(n, r, c))));
    out.push(parts, dl(featureRows(crd.name, p, ctx.version.name)));
    if (!depth) out.push(dl(C.map((name, i) => [C.length > 1 ? 'In ' + name : 'History', R.length > 1 && historyRow(n.s, i, ctx)])));
  }
  return h('div.about', null, out);
}
const inner = (node, r, c) => { let n = node; for (let i; (i = item(n, r, c));) n = i; return n; };

// One field: a row, which renders what is below it when it opens.
function field(node, up, path, ctx) {
  const { r, c, crd, version } = ctx, s = stateOf(node, r, c), own = Math.min(c, 1);
  const required = ((up && stateOf(up, r, c) || {}).required || []).includes(node.n);
  const experimental = onlyExperimental(node.s, r, c), first = experimental && !(up && onlyExperimental(up.s, r, c));
  const std = C.length > 1 && c > 0 ? since(node.s, 0, r) : -1, from = since(node.s, own, r), gone = c < BOTH ? goneIn(node.s, c, r) : -1;
  const tomb = gone >= 0 && data.removed.find(t => t.crd === crd.name && t.name === node.n && path === join(t.path, t.name));
  const item = h('li.field' + (experimental ? '.experimental' : ''));
  const row = h('summary.row', null,
    h('code.name', null, node.n), ' ', h('span.type', null, typeOf(node, r, c)), ' ',
    required && badge('required', 'required'), s.enum && s.enum.length === 1 && h('span.default', null, code(s.enum[0])), 'default' in s && h('span.default', null, 'default ', h('code', null, visible(json(s.default), 60))), ' ',
    first && eligibility(rowFor(crd.name, path, 'field')),
    c === BOTH && std >= 0 && from < 0 && badge('standard', 'standard only'),
    std >= 0 && from >= 0 && std !== from && badge('standard', `standard since ${R[std].version}`),
    isDeprecated(node, c) && badge('deprecated', 'deprecated'),
    gone >= 0 && badge('removed', `removed in ${R[gone].version}`, tomb ? tomb.reason : null), tomb && tomb.replacement && ['use ', code(tomb.replacement)], ' ',
    R.length > 1 && h('span.since', null, `since ${R[from >= 0 ? from : std].version}`), h('span.sum', null, firstSentence(node, c)));
  const details = h('details', { ontoggle: () => { if (details.open) { fill(); ctx.open.add(path); } else ctx.open.delete(path); } }, row);
  let filled = false;
  const fill = () => {
    if (filled) return;
    filled = true;
    details.append(about(node, path, ctx));
    const below = inner(node, r, c), list = kids(below, r, c);
    if (list.length) details.append(fields(list, below, pathBelow(path, node, r, c), ctx));
  };
  add(item, [h('a.link', { href: link(crd.name, version.name, path, r, c), 'aria-label': `Permalink to ${path}` }, '#'), details]);
  ctx.rows.set(path, { item, details, fill, row });
  if (ctx.open.has(path)) { fill(); details.open = true; }
  return item;
}
const pathBelow = (path, node, r, c) => { for (let n = item(node, r, c); n; n = item(n, r, c)) path += '[*]'; return path; };
const fields = (list, up, path, ctx) => h('ul.fields', null, list.map(k => field(k, up, join(path, k.n), ctx)));

const opened = new Map();       // which fields are open, by CRD and API version
let page = null;                // what the reference shows now
function showKind(to) {
  if (to.crd === 'reference') {
    const first = lastKind && has(byName.get(lastKind), to.r, to.c) ? byName.get(lastKind) : data.crds.find(x => has(x, to.r, to.c)) || data.crds[0];
    if (!first) return showProblem('This page has no CRDs', []);
    return replace(link(first.name, '', '', to.r, to.c));
  }
  const low = to.crd.toLowerCase();
  const crd = byName.get(to.crd) || data.crds.find(x => [x.kind, x.plural, x.singular].some(n => n.toLowerCase() === low));
  if (!crd) return showProblem(`No kind ${to.crd} in this page`, nearest(to.crd, data.crds.flatMap(x => [x.name, x.kind])).map(n => { const x = byName.get(n) || data.crds.find(y => y.kind === n); return [x.kind === n ? n : `${x.kind} (${n})`, open(x, to.version, to.path, to)]; }));
  const known = versions(crd, to.r, to.c);
  if (!to.version && known.length) return replace(link(crd.name, known[0].name, '', to.r, to.c));
  const version = versionOf(crd, to.version) || (!to.version && [...crd.versions].sort(byRank)[0]);
  if (!version) return showProblem(`${crd.kind} has no API version ${to.version}`, nearest(to.version, crd.versions.map(v => v.name)).concat(crd.versions.map(v => v.name)).filter((v, i, l) => l.indexOf(v) === i).map(v => [v, open(crd, v, to.path, to)]));
  const nodes = trail(version, to.path);
  if (!nodes) return showProblem(`${crd.kind} ${version.name} has no field ${to.path}`, nearFields(crd, version, to));
  const last = nodes[nodes.length - 1], path = pathOf(nodes);
  if (pick(to.path ? last.s : version.facts, to.r, to.c) < 0) {
    // Not in this bundle and channel. The other channel is used if the address does not name one.
    const place = whereIs(crd, version, last, to);
    if (place && place.r === to.r && !to.given) return replace(link(crd.name, version.name, path, place.r, place.c));
    return showProblem(`${path ? path + ' of ' : ''}${crd.kind} ${version.name} is not in ${R[to.r].version}, ${channelName(to.c)} channel`,
      place ? [[`${R[place.r].version}, ${channelName(place.c)} channel, has it`, link(crd.name, version.name, path, place.r, place.c)]] : [], tombNotes(crd, path) || '');
  }
  lastKind = crd.name;
  const key = crd.name + ' ' + version.name;
  if (!page || page.key !== key || page.r !== to.r || page.c !== to.c || !page.view.isConnected) {
    if (!opened.has(key)) opened.set(key, new Set(['spec']));
    page = { key, crd, version, r: to.r, c: to.c, open: opened.get(key), rows: new Map(), view: h('article.kind') };
    add(page.view, [kindHead(page), skeleton(page), kindFields(page)]);
    show(page.view, `${crd.kind} ${version.name}`);
    showKinds(crd, version);
  }
  if (to.path) reveal(page, nodes);
}
let lastKind = '';
// Where a node is: this release in another channel, or the last release that has it.
function whereIs(crd, version, node, { r, c }) {
  const points = node === version.root || !node ? version.facts : node.s, order = c === 0 || c === BOTH ? [0, 1] : [1, 0];
  const tries = [r, ...R.map((_, i) => R.length - 1 - i)];
  for (const i of tries) for (const k of order) if (k < C.length && at(points, i, k) >= 0) return { r: i, c: c === BOTH && i === r ? BOTH : k };
  return null;
}
// The address of a place, in this bundle and channel or where it is.
function open(crd, versionName, path, { r, c }) {
  const version = versionOf(crd, versionName) || [...crd.versions].sort(byRank)[0], nodes = trail(version, path || ''), node = nodes ? nodes[nodes.length - 1] : version.root;
  if (pick(path && nodes ? node.s : version.facts, r, c) < 0) { const p = whereIs(crd, version, node, { r, c }); if (p) { r = p.r; c = p.c; } }
  return link(crd.name, version.name, nodes ? path : '', r, c);
}
function nearFields(crd, version, to) {
  const paths = [];
  (function walk(n, p) { for (const k of n.c || []) { const q = join(p, k.n); if (!isItem(k)) paths.push(q); walk(k, q); } })(version.root, '');
  const name = to.path.split('.').pop().replaceAll('[*]', ''), ends = paths.filter(p => p.endsWith('.' + name) || p === name);
  const close = nearest(to.path, paths, 4), named = nearest(name, paths.map(p => p.split('.').pop()), 3).flatMap(n => paths.filter(p => p === n || p.endsWith('.' + n)).slice(0, 2));
  return [...new Set([...ends.slice(0, 3), ...close, ...named])].slice(0, 6).map(p => [p, open(crd, version.name, p, to)]);
}
function tombNotes(crd, path) {
  const t = data.removed.find(x => x.crd === crd.name && (x.kind === 'resource' || path === join(x.path || '', x.name)));
  return t ? [`Removed in ${t.removed}: ${t.reason}.`, t.replacement && ` Use ${t.replacement}.`] : null;
}

function kindHead({ crd, version, r, c }) {
  const f = factsOf(version, r, c), all = versions(crd, r, c), experimental = onlyExperimental(version.facts, r, c), names = crd.shortNames || [];
  const own = c === BOTH ? pick(version.facts, r, 1) >= 0 ? 1 : 0 : c, size = at(crd.sizes, r, own), total = r === data.newest ? (data.costs.totals.find(t => data.crds[t[0]] === crd && t[1] === version.name) || [])[2 + own] : -1;
  const yes = (x, text) => x && badge('plain', text), cols = f.additionalPrinterColumns || [], n = countFields(version.root, r, c), budget = 262144;
  const life = rowsOf.get(crd.name + '\n') || [], from = since(version.facts, own, r), std = c > 0 ? since(version.facts, 0, r) : -1, gone = c < BOTH ? goneIn(version.facts, c, r) : -1;
  return [h('header.head', null,
    h('p.api', null, h('code', null, `${crd.group}/${version.name}`)),
    h('h1', { tabindex: -1 }, crd.kind, ' ', h('span.vers', null, version.name)),
    h('p.badges', null, experimental && eligibility(life.find(x => x.kind === 'resource' || x.kind === 'version' && x.text === version.name)), c > 0 && !experimental && C.length > 1 && badge('standard', std >= 0 && std !== from ? `standard since ${R[std].version}` : 'standard'), f.deprecated && badge('deprecated', 'deprecated'), yes(f.storage, 'storage version'), f.served === false ? badge('removed', 'not served') : yes(f.served, 'served'),
      gone >= 0 && badge('removed', `removed in ${R[gone].version}`), R.length > 1 && badge('since', `since ${R[from >= 0 ? from : std].version}`)),
    f.deprecationWarning && h('p.note', null, f.deprecationWarning),
    words(version.root, c),
    all.length > 1 && h('nav.vtabs', { 'aria-label': 'API versions' }, all.map(v => h('a', { href: link(crd.name, v.name, '', r, c), 'aria-current': v === version && 'page' }, v.name)))),
  h('div.about', null, dl([
    ['Scope', crd.scope === 'Namespaced' ? 'one namespace' : 'the whole cluster'],
    ['Names', [code(crd.plural), crd.singular && [', ', code(crd.singular)], names.map(x => [', ', code(x)])]],
    ['Categories', (crd.categories || []).length && crd.categories.map((x, i) => [i ? ', ' : '', code(x)])],
    ['Columns', cols.length && chips(cols.map(x => [h('strong', null, x.name), ' ', code(x.jsonPath), x.priority ? ' wide' : '']))],
    ['Subresources', f.subresources && Object.keys(f.subresources).map((x, i) => [i ? ', ' : '', code(x), Object.keys(f.subresources[x] || {}).length ? [' ', h('code', null, JSON.stringify(f.subresources[x]))] : ''])],
    ['Selectable', f.selectableFields && chips(f.selectableFields.map(x => code(x.jsonPath)))],
    ['Fields', `${n.all.toLocaleString('en')}${n.experimental && c ? `, ${n.experimental.toLocaleString('en')} of them experimental` : ''}`],
    ['Size', size >= 0 && [bar(size / budget), ` ${size.toLocaleString('en')} of ${budget.toLocaleString('en')} bytes (${percent(size / budget)})`]],
    ['CEL cost', total >= 0 && [bar(total / data.costs.crd), ` ${percent(total / data.costs.crd)} of the limit of a CRD`]],
  ]), ruleList(version.root, { r, c }, null, () => null))];
}
function kindFields(ctx) {
  const { version, r, c } = ctx, all = open => () => {
    // Rows that open add rows, which this loop then reaches.
    for (const x of ctx.rows.values()) { if (open) x.fill(); x.details.open = open; }
  };
  const text = R[r].text ? null : h('p.note', null, `Descriptions are of the newest ${noun()} that has each field. ${R[r].version} is stored without them.`);
  return h('section', { 'aria-labelledby': 'fields' }, h('div.bar2', null, h('h2', { id: 'fields' }, 'Fields'),
    h('span.buttons', null, h('button', { type: 'button', onclick: all(true) }, 'Expand all'), h('button', { type: 'button', onclick: all(false) }, 'Collapse all'))),
  text, fields(kids(version.root, r, c), version.root, '', ctx));
}
// Opens the ancestors of a node, scrolls to its row and marks it.
function reveal(ctx, nodes) {
  let path = '', row = null;
  for (const n of nodes.slice(1)) {
    path = join(path, n.n);
    const next = ctx.rows.get(path);
    if (next) { next.fill(); next.details.open = true; row = next; }
  }
  document.querySelectorAll('.target').forEach(x => x.classList.remove('target'));
  if (!row) return;
  row.item.classList.add('target');
  row.row.scrollIntoView({ block: 'start' });
  row.row.focus({ preventScroll: true });
}

// The list of kinds at the left.
function showKinds(crd, version) {
  const { r, c } = now, groups = new Map(), wide = matchMedia('(min-width: 60rem)').matches;
  let hidden = 0;
  for (const x of data.crds) {
    if (has(x, r, c)) { if (!groups.has(x.group)) groups.set(x.group, []); groups.get(x.group).push(x); }
    else if (C.length > 1 && c === 0 && at(x.in, r, 1) > 0) hidden++;
  }
  const old = $('kinds'), top = old ? old.scrollTop : 0;
  const nav = h('nav.kinds', { id: 'kinds', 'aria-label': 'Kinds' }, h('details', { open: wide }, h('summary', null, `Kinds of ${R[r].version}`), [...groups].map(([group, list]) =>
    h('details.group', { open: groups.size < 9 || group === crd.group }, h('summary', null, h('span.gname', null, group), ' ', h('span.n', null, list.length)),
      h('ul', null, list.sort((a, b) => a.kind < b.kind ? -1 : 1).map(x => {
        const vs = versions(x, r, c);
        return h('li', null, h('a', { href: link(x.name, vs[0] ? vs[0].name : '', ''), title: x.kind, 'aria-current': x === crd && 'true' }, x.kind, onlyExperimental(x.in.map(p => [p[0], p[1] - 1, p[2] - 1]), r, c) && h('span.exp', { title: 'experimental' }, ' experimental')),
          vs.length > 1 && h('span.vs', null, vs.map(v => h('a', { href: link(x.name, v.name, ''), 'aria-label': `${x.kind} ${v.name}`, 'aria-current': x === crd && v === version && 'page' }, v.name))));
      })))), hidden ? h('p', null, h('a', { href: link(crd.name, version.name, '', r, 1) }, `${count(hidden, 'kind')} only in experimental`)) : null));
  if (old) old.replaceWith(nav); else $('main').before(nav);
  nav.scrollTop = top;
}

// ---- YAML skeleton

const PLAIN = /^[A-Za-z_/][\w./-]*$/, WORDS = /^(y|n|yes|no|on|off|true|false|null|~)$/i;
const quote = s => PLAIN.test(s) && !WORDS.test(s) ? s : JSON.stringify(s).replace(HIDDEN, x => [...x].map(y => y.length > 1 ? '\\U' + y.codePointAt(0).toString(16).padStart(8, '0') : escapeChar(y)).join('')).replace(/\u0085|\u00a0/g, escapeChar);
const EXAMPLES = ['', 'example', 'example.com', 'a', 'Example', '/', '/example', '1', '10s', '1h', 'https://example.com', 'example.com/example', '192.0.2.1', '192.0.2.0/24', 'GET', '2026-01-01T00:00:00Z', '#'];
function example(s) {
  if (s.default !== undefined) return s.default;
  if (s.enum) return s.enum[0];
  if (s['x-kubernetes-int-or-string']) return 1;
  if (s.type === 'integer' || s.type === 'number') return Math.min(Math.max(1, s.minimum ?? -Infinity), s.maximum ?? Infinity);
  if (s.type === 'boolean') return false;
  if (s.type !== 'string') return {};
  if (s.format === 'date-time') return '2026-01-01T00:00:00Z';
  if (s.format === 'byte') return 'ZXhhbXBsZQ==';
  let re = null;
  try { re = s.pattern && new RegExp(s.pattern, 'u'); } catch { /* a pattern that only RE2 reads */ }
  return EXAMPLES.find((x, i) => (i || !s.minLength) && x.length >= (s.minLength || 0) && x.length <= (s.maxLength ?? Infinity) && (!re || re.test(x))) ?? 'example';
}
function yaml({ crd, version, r, c }, full) {
  const lines = [], note = (node, required) => full ? `  # ${required ? 'required' : 'optional'}${onlyExperimental(node.s, r, c) ? ', experimental' : ''}, ${visible(typeOf(node, r, c), 80)}` : '';
  const scalar = v => typeof v === 'string' ? quote(v) : JSON.stringify(v);
  function object(node, pad, first) {
    const s = stateOf(node, r, c), need = s.required || [];
    // The first optional fields, if an object with too few is refused.
    let more = (s.minProperties || 0) - need.length;
    const list = kids(node, r, c).filter(k => !isItem(k) && (full || need.includes(k.n) || more-- > 0));
    for (const k of list) { put(k, first == null ? pad : first, quote(k.n) + ':', pad + '  ', need.includes(k.n)); first = null; }
    return list.length;
  }
  function put(k, start, key, pad, required) {
    const s = stateOf(k, r, c), it = item(k, r, c), end = note(k, required);
    // With all fields, a default does not hide the fields below it.
    const deep = full && kids(inner(k, r, c), r, c).length;
    if (!deep && ('default' in s || s.enum)) return lines.push(`${start}${key} ${scalar(example(s))}${end}`);
    if (it && it.n === '[]') {
      if (!full && !s.minItems && !required) return lines.push(`${start}${key} []${end}`);
      lines.push(`${start}${key}${end}`);
      return element(it, pad, pad + '- ', pad + '  ');
    }
    if (it) { lines.push(`${start}${key}${end}`); return element(it, pad, pad + 'example: ', pad + '  ', true); }
    if (kids(k, r, c).length) { const i = lines.push(`${start}${key}${end}`); if (!object(k, pad)) lines[i - 1] = `${start}${key} {}${end}`; return; }
    lines.push(`${start}${key} ${scalar(example(s))}${end}`);
  }
  function element(it, pad, start, below, map) {
    const deep = item(it, r, c);
    if (deep) { put(it, start.trimEnd().endsWith(':') ? pad : start, map ? 'example:' : '', below, true); return; }
    if (!kids(it, r, c).length) return lines.push(start + scalar(example(stateOf(it, r, c))));
    if (map) { const i = lines.push(start.trimEnd()); if (!object(it, below)) lines[i - 1] = start + '{}'; return; }
    if (!object(it, below, start)) lines.push(start + '{}');
  }
  lines.push(`apiVersion: ${quote(`${crd.group}/${version.name}`)}`, `kind: ${quote(crd.kind)}`, 'metadata:', '  name: example');
  if (crd.scope === 'Namespaced') lines.push('  namespace: default');
  const need = (stateOf(version.root, r, c).required || []);
  for (const k of kids(version.root, r, c)) if (!['apiVersion', 'kind', 'metadata', 'status'].includes(k.n) && (full || need.includes(k.n))) put(k, '', quote(k.n) + ':', '  ', need.includes(k.n));
  return lines.join('\n') + '\n';
}
function skeleton(ctx) {
  const box = h('pre', { tabindex: 0, 'aria-label': 'YAML' }), said = h('span', { role: 'status' });
  let text = '';
  const set = full => { text = yaml(ctx, full); box.textContent = text; said.textContent = ''; };
  const choice = (label, full) => h('label.radio', null, h('input', { type: 'radio', name: 'skeleton', checked: !full, onchange: () => set(full) }), label);
  const copy = async () => {
    try { await navigator.clipboard.writeText(text); said.textContent = 'Copied'; } catch {
      // Without a clipboard, as from file:// in some browsers: select the text for the user.
      const area = h('textarea', { rows: Math.min(20, text.split('\n').length), 'aria-label': 'YAML', readonly: true });
      area.value = text;
      box.replaceWith(area);
      area.select();
      let done = false;
      try { done = document.execCommand('copy'); } catch { /* not supported */ }
      if (done) area.replaceWith(box);
      said.textContent = done ? 'Copied' : 'Press Ctrl+C to copy';
    }
  };
  return h('details.skeleton', { ontoggle: () => text || set(false) }, h('summary', null, 'YAML skeleton'),
    h('div.buttons', null, h('span', { role: 'radiogroup', 'aria-label': 'Fields' }, choice('required fields', false), choice('all fields', true)), h('button', { type: 'button', onclick: copy }, 'Copy'), said), box);
}

// ---- Differences

// Old and new values of keywords. Lists show the items that were removed and added.
function changes(list, from = 'old', to = 'new') {
  const value = (cls, label, v) => h('div.' + cls, null, h('span.hide', null, label + ' '), typeof v === 'object' && v && v.rule != null ? [h('code', null, v.rule), h('span.rest', null, ' ', JSON.stringify({ ...v, rule: undefined }))] : h('code', null, v === undefined ? '(absent)' : typeof v === 'string' ? JSON.stringify(v) : JSON.stringify(v)));
  return h('dl.changes', null, list.map(x => {
    const lists = [x.old, x.new].map(v => v === undefined ? [] : v), each = lists.every(Array.isArray);
    const minus = each ? lists[0].filter(v => !lists[1].some(w => same(v, w))) : [x.old], plus = each ? lists[1].filter(v => !lists[0].some(w => same(v, w))) : [x.new];
    return h('div', null, h('dt', null, h('code', null, x.key)), h('dd', null, minus.map(v => value('del', from, v)), plus.map(v => value('add', to, v)), each && !minus.length && !plus.length && 'the order changed'));
  }));
}
const stepsBetween = (r1, r2) => data.differences.filter(d => d.from >= r1 && d.to <= r2);
// The findings of all steps between two releases, of a channel or of all, with the keys that the data omit.
function difference(from, to, channel) {
  const r1 = releaseIndex(from), r2 = releaseIndex(to), only = channel == null || channel === 'both' ? null : typeof channel === 'number' ? C[channel] : channel, out = [];
  const steps = stepsBetween(r1, r2);
  for (const d of steps) for (const f of d.findings) if (!only || !f.channel || f.channel === only) {
    const full = { ...data.findingDefaults, ...f };
    if (r2 - r1 > 1) full.step = { from: R[d.from].version, to: R[d.to].version };
    out.push(full);
  }
  return out;
}
// The tree of what differs: by CRD, API version and path. `by` is the mark in each channel.
function differenceTree(r1, r2, channels, findings) {
  const crds = new Map(), make = (node, path, name) => ({ node, path, name, by: {}, findings: [], kids: new Map() });
  const child = (d, key, ...rest) => { if (!d.kids.has(key)) d.kids.set(key, make(...rest)); return d.kids.get(key); };
  const crdOf = crd => { if (!crds.has(crd.name)) crds.set(crd.name, { ...make(null, '', crd.kind), crd }); return crds.get(crd.name); };
  const versionIn = (crd, v) => { const d = child(crdOf(crd), v.name, v.root, '', v.name); d.version = v; return d; };
  const mark = (a, b) => a < 0 ? '+' : b < 0 ? '−' : '~';
  for (const c of channels) for (const crd of data.crds) {
    const a = at(crd.in, r1, c) > 0, b = at(crd.in, r2, c) > 0;
    if (a !== b) crdOf(crd).by[c] = { mark: a ? '−' : '+', changes: [] };
    for (const v of crd.versions) {
      const x = at(v.facts, r1, c), y = at(v.facts, r2, c);
      if (x < 0 && y < 0) continue;
      if (x !== y && a === b) versionIn(crd, v).by[c] = { mark: mark(x, y), changes: x >= 0 && y >= 0 ? keywordDiff(data.facts[x], data.facts[y]) : [] };
      if (x >= 0 && y >= 0) walk(v.root, '', c, () => versionIn(crd, v));
    }
  }
  function walk(node, path, c, up) {
    const a = at(node.s, r1, c), b = at(node.s, r2, c);
    if (a < 0 && b < 0) return;
    let me = null;
    const own = () => me || (me = node.n === '' ? up() : child(up(), path, node, path, node.n));
    if (a !== b) {
      const list = a >= 0 && b >= 0 ? keywordDiff(data.states[a], data.states[b]) : [], had = own().by[c];
      own().by[c] = had ? { mark: had.mark, changes: had.changes.concat(list) } : { mark: mark(a, b), changes: list };
    }
    if (a >= 0 && b >= 0) for (const k of node.c || []) walk(k, join(path, k.n), c, own);
  }
  for (const f of findings) {
    const crd = byName.get(f.crd);
    if (!crd) { if (!crds.has('')) crds.set('', make(null, '', Noun())); crds.get('').findings.push(f); continue; }
    const v = f.version && versionOf(crd, f.version), nodes = v && trail(v, f.path || '');
    let d = v ? versionIn(crd, v) : crdOf(crd), path = '';
    if (nodes) for (const n of nodes.slice(1)) { path = join(path, n.n); d = child(d, path, n, path, n.n); }
    d.findings.push(f);
  }
  return [...crds.values()].sort((a, b) => a.name < b.name ? -1 : 1);
}

const bumpClass = b => ({ none: 'none', patch: 'patch', minor: 'minor', major: 'major' })[b] || 'never';
const bumpText = b => ({ none: 'no bump', finding: 'blocked' })[b] || b;
// What a step requires, and whether that is permitted.
function verdict(d) {
  if (['finding', 'refused'].includes(d.verdict)) return 'no version permits these changes';
  const need = [`the changes require ${d.verdict === 'none' ? '' : 'a '}`, h('strong', null, bumpText(d.verdict)), d.verdict === 'none' ? '' : ' bump'];
  return [need, d.fits ? ', and ' : ', but ', h('strong', null, bumpText(d.permitted)), d.fits ? ' is permitted' : ' is the largest permitted bump'];
}
// Findings, equal ones once. `place` makes a link to the findings at one place: those of a whole bundle are shown with their places.
function findingList(list, place) {
  const groups = new Map();
  for (const f of list) {
    const key = JSON.stringify([f.rule, f.message, f.effectiveBump, f.help, f.known, f.waived, f.step]), g = groups.get(key);
    if (g) { g.channels.add(f.channel); g.all.push(f); } else groups.set(key, { f, all: [f], channels: new Set([f.channel]) });
  }
  return h('ul.findings', null, [...groups.values()].map(({ f, all, channels }) => h('li.finding.' + bumpClass(f.effectiveBump), null,
    h('p.meta', null, h('span.bump', null, bumpText(f.effectiveBump)), ' ', h('code.rule', null, f.rule), ' ', C.length > 1 && [...channels].filter(Boolean).map(x => [badge('plain', x), ' ']), f.known && [badge('plain', 'known before'), ' '], f.waived && [badge('plain', 'accepted'), ' '], f.decidedBy && [badge('plain', 'decided by ' + json(f.decidedBy)), ' '],
      f.step && h('a', { href: `#/diff?from=${f.step.from}&to=${f.step.to}` }, `${f.step.from} → ${f.step.to}`)),
    h('p.message', null, rich(f.message)),
    f.waived && h('p.fix', null, h('strong', null, `Accepted as ${bumpText(f.waived.to)}: `), rich(f.waived.reason)),
    place && places([...new Map(all.map(x => [JSON.stringify([x.crd, x.path]), all.filter(y => y.crd === x.crd && y.path === x.path)])).values()].map(place)),
    f.effectiveBump !== 'none' && f.help && !f.waived && h('p.fix', null, h('strong', null, 'Fix: '), rich(f.help)))));
}
const PLACES = 4;
const places = list => [h('ul.places', null, list.slice(0, PLACES).map(x => h('li', null, x))),
  list.length > PLACES && h('details.small', null, h('summary', null, `${(list.length - PLACES).toLocaleString('en')} more`), h('ul.places', null, list.slice(PLACES).map(x => h('li', null, x))))];
const choose = (label, list, value, change) => h('label', null, label + ' ', ((s) => { s.value = value; return s; })(h('select', { onchange: e => change(e.target.value) }, list.map(([v, text]) => h('option', { value: v }, text)))));
function showDiff(to) {
  if (R.length < 2) return showProblem(`This page has one ${noun()}, so there is nothing to compare`, []);
  const p = to.params, r2 = p.has('to') ? releaseIndex(p.get('to')) : data.newest, r1 = p.has('from') ? releaseIndex(p.get('from')) : Math.max(0, r2 - 1);
  if (r1 < 0 || r2 < 0) { const bad = r1 < 0 ? p.get('from') : p.get('to'); return showProblem(`The ${noun()} ${bad} is not in this page`, nearest(bad, R.map(x => x.version)).map(v => [v, '#/diff?to=' + encode(v)])); }
  const c = !to.given && C.length > 1 ? BOTH : to.c, channels = c === BOTH ? [0, 1] : [c], steps = stepsBetween(r1, r2);
  const all = difference(r1, r2, channelName(c)), go = (a, b, x, more = '') => { location.hash = diffLink(a, b, x).slice(1) + more; };
  const bundles = R.map((x, i) => [i, x.version + (x.unreleased ? ' (unreleased)' : '')]).reverse();
  const rules = [...new Set(all.map(f => f.rule))].sort(), bumps = ['none', 'patch', 'minor', 'major', 'finding', 'refused'].filter(b => all.some(f => f.effectiveBump === b));
  const rule = rules.includes(p.get('rule')) ? p.get('rule') : '', bump = bumps.includes(p.get('bump')) ? p.get('bump') : '';
  const more = (r, b) => (r ? '&rule=' + encode(r) : '') + (b ? '&bump=' + encode(b) : '');
  const shown = all.filter(f => (!rule || f.rule === rule) && (!bump || f.effectiveBump === bump)), filtered = !!(rule || bump);
  // What the release before has too is not a change: it comes last.
  const tree = differenceTree(r1, r2, filtered ? [] : channels, shown.filter(f => !f.known)), known = shown.filter(f => f.known), decide = shown.filter(f => f.decides);
  const decides = d => d.findings.some(f => f.decides) || [...d.kids.values()].some(decides);
  tree.sort((a, b) => decides(b) - decides(a));
  const place = list => { const f = list[0], crd = byName.get(f.crd), text = [crd ? crd.kind : f.crd, [...new Set(list.map(x => x.version))].filter(Boolean).join(', '), f.path].filter(Boolean).join(' '); return crd ? h('a', { href: open(crd, f.version, f.path, { r: r2, c }) }, text) : text; };
  const lenses = data.conversions.filter(x => { const i = releaseIndex(x.since); return i > r1 && i <= r2; });
  const box = h('article.diff', null,
    h('header.head', null, h('h1', { tabindex: -1 }, `${R[r1].version} → ${R[r2].version}`), h('p.muted', null, [R[r1].date && R[r2].date && `${R[r1].date} to ${R[r2].date}`, R[r2].unreleased && 'unreleased', C.length > 1 && (c === BOTH ? 'both channels' : channelName(c) + ' channel')].filter(Boolean).join(', '))),
    h('div.filters', { role: 'group', 'aria-label': 'What to compare' },
      choose('From', bundles, r1, v => go(+v, r2, c)), h('button', { type: 'button', 'aria-label': `Exchange the ${noun()}s`, onclick: () => go(r2, r1, c) }, '⇄'), choose('To', bundles, r2, v => go(r1, +v, c)),
      C.length > 1 && choose('Channel', [[BOTH, 'both'], ...C.map((x, i) => [i, x])], c, v => go(r1, r2, +v)),
      rules.length > 0 && choose('Rule', [['', 'all rules'], ...rules.map(x => [x, `${x} (${all.filter(f => f.rule === x).length})`])], rule, v => go(r1, r2, c, more(v, bump))),
      rules.length > 0 && choose('Required bump', [['', 'all'], ...bumps.map(x => [x, `${bumpText(x)} (${all.filter(f => f.effectiveBump === x).length})`])], bump, v => go(r1, r2, c, more(rule, v)))),
    r1 > r2 && h('p.note', null, 'Findings are about upgrades. In this direction only the differences of the schemas are shown.'),
    steps.length > 0 && h('section.steps', { 'aria-labelledby': 'verdicts' }, h('h2', { id: 'verdicts' }, steps.length === 1 ? 'Verdict' : 'Verdict of each step'), h('ul', null, steps.map(d => h('li.step.' + (d.fits ? 'fits' : 'unfit'), null,
      h('span.mark', { 'aria-hidden': 'true' }, d.fits ? '✓' : '✗'), h('span', null, steps.length > 1 && [h('a', { href: diffLink(d.from, d.to, c) }, `${R[d.from].version} → ${R[d.to].version}`), ': '], verdict(d),
        h('span.muted', null, ` (${C.length > 1 ? Object.entries(d.channels).map(([k, v]) => `${k}: ${bumpText(v)}; `).join('') : ''}profile ${d.profile}; ${count(d.findings.filter(f => !f.known).length + (d.more || 0), 'finding')}${d.more ? ` or known ones, the ${d.findings.length} most important are shown` : ''})`)))))),
    decide.length > 0 && h('section.decide', { 'aria-labelledby': 'decide' }, h('h2', { id: 'decide' }, 'Deciding findings'), findingList(decide, place)),
    lenses.length > 0 && h('section.lenses', { 'aria-labelledby': 'lenses' }, h('h2', { id: 'lenses' }, 'Conversions'), lenses.map(x => h('div.lens', null, h('p.label', null, `${x.kind} since ${x.since}`),
      h('ul', null, x.words.map(w => h('li', null, rich(w))), x.loses.map(w => h('li.loses', null, 'loses: ', rich(w))), x.keeps.map(w => h('li.keeps', null, 'keeps: ', rich(w))))))),
    h('section', { 'aria-labelledby': 'what' }, h('h2', { id: 'what' }, 'Changes'), tree.length ? h('div.tree', null, tree.map(d => diffCrd(d, r1, r2, channels, tree.length))) : h('p.empty', null, 'No difference.'), known.length > 0 && knownFindings(known, r1, r2, channels)));
  show(box, `${R[r1].version} → ${R[r2].version}`);
}
// The findings that the release before has too, which are made when they are opened.
function knownFindings(list, r1, r2, channels) {
  const tree = differenceTree(r1, r2, [], list);
  const box = h('details.known', { ontoggle: () => { if (box.children.length < 2) box.append(h('div.tree', null, tree.map(d => diffCrd(d, r1, r2, channels, tree.length)))); } }, h('summary', null, `${count(list.length, 'finding')} known before: the release before has them too`));
  return box;
}
// The marks of a node: one for both channels if they agree.
function marksOf(d, channels) {
  const list = channels.filter(c => d.by[c]);
  if (list.length === channels.length && list.every(c => same(d.by[c], d.by[list[0]]))) return [{ ...d.by[list[0]], label: C.length > 1 && channels.length > 1 ? 'both channels' : '' }];
  return list.map(c => ({ ...d.by[c], label: channels.length > 1 ? C[c] : '' }));
}
const MARK = { '+': ['add', 'added'], '−': ['del', 'removed'], '~': ['mod', 'changed'] };
const markSpan = m => h('span.mark.' + MARK[m][0], { role: 'img', 'aria-label': MARK[m][1] }, m);
function weigh(d) { let n = d.findings.length + (Object.keys(d.by).length ? 1 : 0); for (const k of d.kids.values()) n += weigh(k); return n; }
function diffCrd(d, r1, r2, channels, many) {
  const marks = marksOf(d, channels), body = [];
  const fill = () => {
    if (d.findings.length) body.push(findingList(d.findings));
    for (const v of [...d.kids.values()].sort(byRank)) body.push(h('section.dversion', null, h('h4', null, marksOf(v, channels).map(m => [markSpan(m.mark), ' ', m.label && badge('plain', m.label), ' ']), h('a', { href: open(d.crd, v.name, '', { r: r2, c: channels.length > 1 ? BOTH : channels[0] }) }, `${d.crd.group}/${v.name}`)),
      marksOf(v, channels).map(m => m.changes.length ? changes(m.changes) : null), v.findings.length ? findingList(v.findings) : null, diffList(v, d.crd, v.version, r1, r2, channels)));
    return body;
  };
  const n = weigh(d), e = h('details.dcrd', { ontoggle: () => { if (e.open && !body.length) add(e, fill()); } }, h('summary', null, h('h3', null, marks.map(m => [markSpan(m.mark), ' ', m.label && [badge('plain', m.label), ' ']]), d.name, d.crd && h('span.muted', null, ` ${d.crd.group}`)), h('span.n', null, count(n, 'entry', 'entries'))));
  e.fill = () => { if (!body.length) add(e, fill()); };
  if (many < 6 || n < 25) { e.open = true; e.fill(); }
  return e;
}
function diffList(d, crd, version, r1, r2, channels) {
  if (!d.kids.size) return null;
  return h('ul.fields', null, [...d.kids.values()].sort((a, b) => a.name < b.name ? -1 : 1).map(k => {
    const marks = marksOf(k, channels), whole = marks.find(m => m.mark !== '~'), name = isItem(k.node) ? 'each item' : k.name;
    // A field that was added or removed is shown as in the reference, in the release that has it.
    const r = whole && whole.mark === '−' ? r1 : r2, c = channels.length > 1 ? BOTH : channels[0], there = live(k.node, r, c);
    const below = [marks.map(m => m.changes.length ? h('div', null, marks.length > 1 && m.label && h('p.label', null, m.label), changes(m.changes)) : null), k.findings.length ? findingList(k.findings) : null, diffList(k, crd, version, r1, r2, channels)];
    const text = [marks.length ? marks.map(m => [markSpan(m.mark), ' ', m.label && m.label !== 'both channels' && [badge('plain', m.label), ' ']]) : h('span.mark', null, '·'), ' ',
      h(isItem(k.node) ? 'span.name.items' : 'code.name', null, name), ' ', there && h('span.type', null, typeOf(k.node, r, c))];
    const e = h('li.field.change' + (whole ? '.' + MARK[whole.mark][0] : marks.length ? '.mod' : ''), null, h('a.link', { href: open(crd, version.name, k.path, { r, c }), 'aria-label': `${k.path} in the reference` }, '#'));
    if (whole && there && (kids(inner(k.node, r, c), r, c).length || textId(k.node, c) >= 0 || !k.kids.size)) {
      const ctx = { crd, version, r, c, open: new Set(), rows: new Map() }, details = h('details', { ontoggle: () => { if (details.open && details.children.length < 2) { const deep = inner(k.node, r, c), list = kids(deep, r, c); details.append(about(k.node, k.path, ctx)); if (list.length) details.append(fields(list, deep, pathBelow(k.path, k.node, r, c), ctx)); } } }, h('summary.row', null, text, ' ', h('span.sum', null, firstSentence(k.node, c))));
      e.append(details);
    } else e.append(h('div.row', null, text));
    return add(e, [h('div.under', null, below)]);
  }));
}

// ---- Clients

const RESULTS = { works: 'works', fields: 'works without fields that it uses', skips: 'skips kinds', fails: 'fails' };
let matrix = null;              // the matrix that is shown now
// The cell of a client, built for release r in channel c, where release r2 in channel c2 is installed. No cell if one of them is not there.
function clientCell(r, c, r2, c2) {
  const { bundles, rows, cells } = data.clients, index = (r, c) => bundles.findIndex(x => x[0] === r && x[1] === c), row = rows[index(r, c)];
  return row && cells[row[index(r2, c2)]];
}
function showClients(to) {
  if (!data.clients || R.length < 2) return showProblem(`This page has one ${noun()}, so it compares no clients`, []);
  const p = to.params, named = (key, none) => { const i = C.indexOf(p.get(key)); return i < 0 ? none : i; }, built = named('client', 0), installed = named('installed', 0);
  const has = c => R.map((_, i) => i).filter(r => data.clients.bundles.some(x => x[0] === r && x[1] === c)).reverse(), rows = has(built), columns = has(installed);
  const given = key => p.has(key) ? releaseIndex(p.get(key)) : -1, at = columns.includes(given('on')) ? given('on') : columns[0];
  const own = rows.includes(given('built')) ? given('built') : rows.find(r => r < at) ?? rows[0];
  const address = (built, installed, r, r2) => `#/clients?client=${C[built]}&installed=${C[installed]}` + (r == null ? '' : `&built=${encode(R[r].version)}&on=${encode(R[r2].version)}`);
  if (!matrix || matrix.key !== built + ' ' + installed || !matrix.view.isConnected) {
    const channel = c => C.length > 1 ? ` ${C[c]}` : '', cells = new Map(), details = h('section', { 'aria-labelledby': 'client' });
    const move = (e, i, j) => { const td = cells.get(`${rows[i]} ${columns[j]}`); e.preventDefault(); if (td) focus(td); }, focus = td => { cells.forEach(x => { x.tabIndex = -1; }); td.tabIndex = 0; td.focus(); };
    const go = (r, r2) => { location.hash = address(built, installed, r, r2).slice(1); };
    const cell = (r, i) => (r2, j) => {
      const [word, , lost] = clientCell(r, built, r2, installed), td = h(`td.v-${word}` + (r === r2 && built === installed ? '.own' : ''), { role: 'gridcell', tabindex: -1, onclick: () => { focus(td); go(r, r2); }, onkeydown: e => {
        const to = { ArrowUp: [i - 1, j], ArrowDown: [i + 1, j], ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1], Home: [i, 0], End: [i, columns.length - 1] }[e.key];
        if (to) move(e, ...to); else if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); go(r, r2); } } }, word, lost > 0 && ` ${lost}`);
      cells.set(`${r} ${r2}`, td);
      return td;
    };
    const table = h('table', { role: 'grid', 'aria-label': `Clients and installed ${noun()}s` }, h('thead', null, h('tr', { role: 'row' }, h('th', { role: 'columnheader', scope: 'col' }, 'built for'), columns.map(r => h('th', { role: 'columnheader', scope: 'col' }, h('span.hide', null, 'on '), R[r].version)))),
      h('tbody', null, rows.map((r, i) => h('tr', { role: 'row' }, h('th', { role: 'rowheader', scope: 'row' }, R[r].version), columns.map(cell(r, i))))));
    const select = (label, value, change) => C.length > 1 && choose(label, C.map((x, i) => [i, x]), value, v => { location.hash = change(+v).slice(1); });
    const view = h('article.clients', null, h('header.head', null, h('h1', { tabindex: -1 }, 'Clients'), h('p.muted', null, `A client, such as a controller, reads every kind of the ${noun()} that it was built for (row). What happens where another ${noun()} is installed (column):`)),
      C.length > 1 && h('div.filters', { role: 'group', 'aria-label': 'Channels' }, select('Clients built for', built, v => address(v, installed)), select('Installed', installed, v => address(built, v))),
      h('ul.legend', null, [['works', 'works', ' it finds all that it reads'], ['fields', 'fields', ' some fields that it uses are missing: servers drop them'], ['fails', 'fails 2', ' two of its kinds, or their API versions, are not served: most controllers never start']].map(([x, text, words]) => h('li', null, h('span.v-' + x, null, text), words))),
      h('div.scroll', null, table), details);
    const choice = (r, r2) => {
      const [word, causes] = clientCell(r, built, r2, installed), title = `Built for ${R[r].version}${channel(built)}, on ${R[r2].version}${channel(installed)}: ${RESULTS[word]}`;
      cells.forEach((td, key) => td.setAttribute('aria-selected', String(key === `${r} ${r2}`)));
      cells.forEach((td, key) => { td.tabIndex = key === `${r} ${r2}` ? 0 : -1; });
      details.replaceChildren(h('h2', { id: 'client' }, title), causes.length ? h('ul.text', null, causes.map(x => h('li', null, data.clients.causes[x]))) : '', r !== r2 ? h('p.small', null, h('a', { href: diffLink(r, r2, installed) }, `What changed from ${R[r].version} to ${R[r2].version}`)) : '');
      return title;
    };
    matrix = { key: built + ' ' + installed, view, choice };
    show(view, 'Clients');
    matrix.choice(own, at);
  } else { $('status').textContent = matrix.choice(own, at); matrix.view.lastChild.scrollIntoView({ block: 'nearest' }); }
}

// ---- Overview

function showHome() {
  const r = data.newest, c = C.length > 1 ? BOTH : 0, list = data.crds.filter(x => has(x, r, c)), groups = new Map();
  let all = 0, experimental = 0;
  const cards = list.map(crd => {
    const vs = versions(crd, r, c), n = vs.length ? countFields(vs[0].root, r, c) : { all: 0, experimental: 0 };
    all += n.all;
    experimental += n.experimental;
    const whole = onlyExperimental(crd.in.map(p => [p[0], p[1] - 1, p[2] - 1]), r, c);
    const e = h('li', null, h('a.card', { href: link(crd.name, vs[0] ? vs[0].name : '', '', r, whole ? 1 : 0) }, h('strong', null, crd.kind), h('span.muted', null, vs.map(v => v.name).join(' · ')),
      h('span.muted', null, count(n.all, 'field'), n.experimental && !whole ? `, ${n.experimental.toLocaleString('en')} experimental` : ''), whole && badge('experimental', 'experimental')));
    if (!groups.has(crd.group)) groups.set(crd.group, []);
    groups.get(crd.group).push(e);
    return e;
  });
  const next = R.findIndex(x => x.unreleased), stat = (n, one) => { const [number, ...label] = count(n, one).split(' '); return h('li', null, h('strong', null, number), ' ', label.join(' ')); };
  const box = h('div.home', null, h('header.head', null, h('h1', { tabindex: -1 }, data.name, /\bAPI$/.test(data.name) ? '' : h('span.vers', null, ' API')),
    h('p.lead', null, R[r].unreleased ? `Unreleased ${noun()} ` : `Newest ${noun()} `, h('strong', null, R[r].version), R[r].date && `, ${R[r].date}`, next >= 0 && next !== r && [', in progress: ', h('a', { href: diffLink(r, next, c) }, R[next].version)], r > 0 && [', ', h('a', { href: diffLink(r - 1, r, c) }, `changes since ${R[r - 1].version}`)])),
  h('ul.stats', null, stat(list.length, 'kind'), stat(all, 'field'), C.length > 1 && stat(experimental, 'experimental field'), stat(R.filter(x => !x.unreleased).length, 'release')),
  data.graduation && data.graduation.rows.length > 0 && h('p', null, h('a', { href: '#/graduation' }, `When ${count(data.graduation.rows.length, 'experimental element')} can graduate`)),
  h('section', { 'aria-labelledby': 'kindlist' }, h('h2', { id: 'kindlist' }, 'Kinds'), [...groups].map(([g, items]) => h('div.cardgroup', null, list.length > 1 && h('h3', null, g), h('ul.cards', null, items)))));
  show(box, '');
  // On narrow screens, a timeline shows its newest end first.
  document.querySelectorAll('.lives').forEach(e => { e.parentNode.scrollLeft = e.scrollWidth; });
}
const SIGN = { met: '✓', missing: '✗', unknown: '?' };
const sign = y => y ? h('span.sign.' + y.state, { title: `${y.name} ${y.state}: ${y.text}` }, h('span', { 'aria-hidden': 'true' }, SIGN[y.state] || '?'), h('span.hide', null, y.state)) : h('span.muted', { title: 'does not apply' }, '–');
// One row for the elements of one marker that have the same dates and criteria.
function folded(rows) {
  const groups = new Map();
  for (const x of rows) {
    const key = x.source ? JSON.stringify([x.source, x.crd, x.kind, x.first, x.unchangedSince, x.criteria.map(y => y.state), x.blockers]) : x.name;
    if (groups.has(key)) groups.get(key).more.push(x.name); else groups.set(key, { ...x, more: [] });
  }
  return [...groups.values()];
}
// The name of an element: a rule, a constraint and a value have no name of their own, and are shown.
const elementName = x => [byName.has(x.crd) ? byName.get(x.crd).kind : x.crd, x.kind === 'version' ? x.text : x.path].filter(Boolean).join(' ');
function showGraduation() {
  const g = data.graduation;
  if (!g || !g.rows.length) return showProblem('Nothing in this page waits for graduation', []);
  const date = x => x && [x.bundle, ' ', h('span.muted', null, x.date)], criterion = (x, name) => x.criteria.find(y => y.name === name);
  const columns = [
    ['Element', elementName, x => { const to = byName.has(x.crd) && link(x.crd, x.kind === 'version' ? x.text : x.versions[0] || '', x.path || '', data.newest, 1); return [to ? h('a', { title: x.name, href: to }, elementName(x)) : elementName(x), x.more.length > 0 && h('span.muted', { title: x.more.join('\n') }, ` and ${x.more.length} more`), ['rule', 'constraint', 'value'].includes(x.kind) && h('div', null, h('span.muted', null, x.kind, ' '), h('code', null, visible(x.text, 80)))]; }],
    ['Eligible', x => x.eligible ? x.eligible.date : '~', x => [x.eligible && [h('strong', null, x.eligible.date), x.eligible.bundle && ` in ${x.eligible.bundle}`], (x.blockers || []).map(b => h('p.small', null, badge('removed', 'blocked'), ' ', rich(b))),
      h('details.criteria', null, h('summary', null, 'criteria'), h('ul', null, x.criteria.map(y => h('li', null, h('strong', null, y.name), ` ${y.state}: `, rich(y.text)))))]],
    ...g.criteria.map(({ name }) => [name.replaceAll('-', ' '), x => (criterion(x, name) || {}).state, x => sign(criterion(x, name))]),
    ['Since', x => x.first && x.first.date, x => date(x.first)],
    ['Unchanged since', x => x.unchangedSince && x.unchangedSince.date, x => [date(x.unchangedSince), (x.changes || []).length > 0 && h('details.small', null, h('summary', null, count(x.changes.length, 'change')), x.changes.map(y => h('p', null, h('code', null, y.rule), ' ', y.path, ' ', rich(y.message))))]],
    ['Minors', x => x.minors, x => x.minors],
    ['Probation', x => x.probation && x.probation.ends || '~', x => x.probation && [x.probation.overdue && badge('removed', 'overdue'), ' ', x.probation.ends]],
  ];
  const body = h('tbody'), own = i => i > 1 && i < 2 + g.criteria.length ? '.met' : '';
  let by = 0, down = false;
  const heads = columns.map(([name], i) => h('th' + own(i), { scope: 'col' }, h('button', { type: 'button', onclick: () => { down = by === i && !down; by = i; fill(); } }, name)));
  const fill = () => {
    const value = columns[by][1], rows = folded(g.rows).sort((a, b) => { const x = value(a) ?? '~', y = value(b) ?? '~'; return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1); });
    heads.forEach((th, i) => th.setAttribute('aria-sort', i !== by ? 'none' : down ? 'descending' : 'ascending'));
    body.replaceChildren(...rows.map(x => h('tr', null, columns.map((col, i) => h(i ? 'td' + own(i) : 'th', i ? null : { scope: 'row' }, col[2](x))))));
  };
  fill();
  show(h('article.graduation', null, h('header.head', null, h('h1', { tabindex: -1 }, 'Graduation'), h('p.muted', null, `${count(g.rows.length, 'element')} only in experimental, and when each can graduate to standard at the earliest. `, g.asOf && `State on ${g.asOf}. `, 'Criteria: ✓ met, ✗ missing, ? unknown, – does not apply.')),
    h('div.scroll', { tabindex: 0, role: 'region', 'aria-label': 'Table of graduation' }, h('table', null, h('thead', null, h('tr', null, heads)), body))), 'Graduation');
}

// ---- Search

let index = null;
function buildIndex() {
  const texts = data.texts.map(t => ' ' + plain(t).toLowerCase().replace(/[^\p{L}\p{N}_.]+/gu, ' ')), entries = [], states = data.states.map(s => s.enum ? s.enum.map(x => String(x).toLowerCase()) : null);
  for (const crd of data.crds) {
    const paths = new Map(), kind = crd.kind.toLowerCase(), names = [kind, crd.plural, crd.singular, ...(crd.shortNames || [])].map(x => String(x).toLowerCase());
    const put = (v, node, path, low, items) => {
      let e = paths.get(path);
      if (!e) { e = { crd, path, low, name: path ? node.n.toLowerCase() : kind, names: path ? null : names, at: [], values: null, texts: [], items: false, removed: null }; paths.set(path, e); entries.push(e); }
      if (items) e.items = true; else e.at.push([v, node]);
      for (const p of node.s) for (let c = 1; c < p.length; c++) if (p[c] >= 0 && states[p[c]]) { const list = states[p[c]]; if (!e.values) e.values = []; for (const x of list) if (!e.values.includes(x)) e.values.push(x); }
      for (const t of node.d || []) if (t >= 0 && !e.texts.includes(t)) e.texts.push(t);
      return e;
    };
    for (const v of [...crd.versions].sort(byRank)) {
      (function walk(node, path, low, field) {
        const e = isItem(node) ? put(v, node, field, low, true) : put(v, node, path, low);
        for (const k of node.c || []) walk(k, join(path, k.n), isItem(k) ? low : `${low}.${k.n.toLowerCase()}`, isItem(k) ? e.path : join(path, k.n));
      })(v.root, '', kind, '');
    }
    for (const t of data.removed) if (t.crd === crd.name) {
      const path = t.kind === 'field' ? join(t.path || '', t.name) : t.path || '', e = t.kind === 'resource' ? paths.get('') : t.kind === 'field' && paths.get(path);
      if (e) e.removed = t;
      else entries.push({ crd, path, low: `${kind}.${path.toLowerCase().replaceAll('[*]', '')}.${String(t.name).toLowerCase()}`, name: String(t.name).toLowerCase(), names: null, at: [], values: null, texts: [], items: false, removed: t });
    }
  }
  for (const t of data.removed) if (!byName.has(t.crd)) entries.push({ crd: null, path: '', low: `${t.crd}.${t.name || ''}`.toLowerCase(), name: String(t.name || t.crd.split('.')[0]).toLowerCase(), names: null, at: [], values: null, texts: [], items: false, removed: t });
  // Of equal matches, what a stable version has is first.
  const stability = e => Math.max(-1, ...e.at.map(([v]) => rank(v.name)[0])), stable = new Map(entries.map(e => [e, stability(e)]));
  entries.sort((a, b) => stable.get(b) - stable.get(a) || a.low.length - b.low.length);
  return { texts, entries };
}
// The rank of one word of the query for an entry: 0 is best, -1 is no match.
function score(e, w) {
  const { t, gv } = w, low = e.low;
  if (e.name === t || e.names && e.names.includes(t) || low === t) return 0;
  if (gv && e.crd && e.crd.group.toLowerCase().startsWith(gv[0])) { if (!gv[1]) return 2; if (e.crd.versions.some(v => v.name.startsWith(gv[1]))) return e.path ? 3 : 0; }
  if (e.values && e.values.includes(t)) return 1;
  if (e.name.startsWith(t) || e.names && e.names.some(n => n.startsWith(t))) return 2;
  const i = low.indexOf(t);
  if (i >= 0) return low.length === i + t.length && low[i - 1] === '.' ? 1 : i === 0 || low[i - 1] === '.' ? 3 : 4;
  if (w.version && e.at.some(x => x[0].name === t)) return 3;
  if (e.values && e.values.some(x => x.startsWith(t))) return 4;
  if (e.texts.length && e.texts.some(x => w.hits[x])) return 6;
  if (e.crd && (e.crd.name.toLowerCase().includes(t))) return 6;
  if (e.removed && ` ${e.removed.reason} ${e.removed.replacement || ''}`.toLowerCase().includes(' ' + t)) return 6;
  return -1;
}
function search(text, limit = 1000) {
  index = index || buildIndex();
  const items = /(\[\*?\]|\{\})\s*$/.test(text), q = text.toLowerCase().replace(/\b(apiversion|kind):\s/g, ' ').replace(/\[\*?\]|\{\}/g, '').trim();
  if (!q) return [];
  const list = q.split(/\s+/).slice(0, 8).map(t => {
    const slash = t.indexOf('/'), version = /^v\d+((alpha|beta)\d+)?$/.test(t);
    const start = ' ' + t, hits = t.length > 1 ? index.texts.map(x => x.includes(start)) : [];
    return { t: slash > 0 && !t.includes('.') ? t.replace('/', '.') : t, hits, version, gv: slash > 0 && t.includes('.') ? [t.slice(0, slash), t.slice(slash + 1)] : t.includes('.') ? [t, ''] : null };
  });
  const buckets = [], want = list.find(w => w.version || w.gv && w.gv[1]), wanted = want && (want.version ? want.t : want.gv[1]);
  for (const e of index.entries) {
    let sum = 0;
    for (const w of list) { const s = score(e, w); if (s < 0) { sum = -1; break; } sum += s; }
    if (sum < 0) continue;
    // What the view has comes before what it lacks.
    const here = e.at.some(x => pick(e.path ? x[1].s : x[0].facts, now.r, now.c) >= 0);
    sum = sum * 2 + (here ? 0 : 1);
    (buckets[sum] = buckets[sum] || []).push(e);
  }
  const out = [];
  for (const b of buckets) for (const e of b || []) {
    const ats = wanted ? [...e.at].sort((x, y) => y[0].name.startsWith(wanted) - x[0].name.startsWith(wanted)) : e.at;
    const path = items && e.items ? e.path + '[*]' : e.path;
    if (!ats.length) out.push({ crd: e.crd ? e.crd.name : e.removed.crd, kind: e.crd ? e.crd.kind : '', version: '', path, removed: e.removed, entry: e });
    for (const [v] of ats) out.push({ crd: e.crd.name, kind: e.crd.kind, version: v.name, path, removed: e.removed, entry: e });
    if (out.length >= limit) return out;
  }
  return out;
}
function resultLink(x) {
  const crd = byName.get(x.crd);
  return crd ? open(crd, x.version, x.path, now) : '';
}
function wireSearch() {
  const input = $('search'), box = $('results');
  let list = [], active = -1;
  const close = () => { box.hidden = true; input.setAttribute('aria-expanded', 'false'); input.removeAttribute('aria-activedescendant'); active = -1; };
  const select = i => {
    [...box.children].forEach((x, k) => x.setAttribute && x.setAttribute('aria-selected', String(k === i)));
    active = i;
    if (i < 0) return input.removeAttribute('aria-activedescendant');
    input.setAttribute('aria-activedescendant', 'result' + i);
    if (box.children[i]) box.children[i].scrollIntoView({ block: 'nearest' });
  };
  const go = i => { const x = list[i]; if (!x) return; const to = resultLink(x); close(); input.value = ''; input.blur(); if (to) { if (location.hash === to) route(); else location.hash = to.slice(1); } };
  const update = () => {
    const seen = new Set();
    list = search(input.value, 200).filter(x => !seen.has(x.entry) && seen.add(x.entry)).slice(0, 40);
    const asked = input.value.trim();
    if (!asked) return close();
    const result = (x, i) => {
      const e = x.entry, vs = e.at.filter(y => y[0].name === x.version), node = vs[0] && vs[0][1], place = node && !(pick(e.path ? node.s : vs[0][0].facts, now.r, now.c) >= 0) && whereIs(e.crd, vs[0][0], node, now);
      const id = node ? textId(node, now.c) : -1, t = x.removed;
      return h('li', { id: 'result' + i, role: 'option', 'aria-selected': 'false', onmousedown: ev => { ev.preventDefault(); go(i); } },
        h('span.rname', null, h('strong', null, e.path && node ? node.n : t && !node ? t.name : x.kind), ' ', node && h('span.type', null, e.path ? typeOf(node, place ? place.r : now.r, place ? place.c : now.c) : `${e.crd.group}/${x.version}`), ' ', t && badge('removed', `removed in ${t.removed}`), place && !t && badge(place.r === now.r ? 'experimental' : 'since', place.r === now.r ? channelName(place.c) : 'in ' + R[place.r].version)),
        h('span.rpath', null, e.path ? `${x.kind} ${x.version} › ${x.path}` : e.crd ? e.crd.name : x.crd),
        h('span.rsum', null, t ? `${t.replacement ? `Use ${t.replacement}. ` : ''}${t.reason}` : id >= 0 ? firstSentence(node, now.c) : ''));
    };
    // The first ones at once, so that the letter is answered quickly.
    const shown = list, at = 12;
    box.replaceChildren(...list.slice(0, at).map(result));
    requestAnimationFrame(() => { if (shown === list) box.append(...list.slice(at).map((x, i) => result(x, i + at))); });
    if (!list.length) box.append(h('li.none', { role: 'option', 'aria-disabled': 'true', 'aria-selected': 'false' }, `Nothing found for “${visible(asked, 60)}”`));
    box.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    $('status').textContent = count(list.length, 'result');
    select(list.length ? 0 : -1);
  };
  input.addEventListener('input', update);
  input.addEventListener('focus', () => { index = index || buildIndex(); if (input.value) update(); });
  input.addEventListener('blur', close);
  input.form.addEventListener('submit', e => { e.preventDefault(); go(Math.max(0, active)); });
  input.addEventListener('keydown', e => {
    if (e.key === 'Escape') { if (box.hidden) { input.value = ''; input.blur(); } else close(); e.preventDefault(); }
    if ((e.key === 'ArrowDown' || e.key === 'ArrowUp') && list.length) {
      if (box.hidden) update(); else select((active + (e.key === 'ArrowDown' ? 1 : -1) + list.length) % list.length);
      e.preventDefault();
    }
    if (e.key === 'Enter') { e.preventDefault(); go(Math.max(0, active)); }
  });
  document.addEventListener('keydown', e => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName);
    if (e.key === '/' && !typing && !e.ctrlKey && !e.metaKey && !e.altKey || e.key.toLowerCase() === 'k' && (e.ctrlKey || e.metaKey)) { e.preventDefault(); input.focus(); input.select(); }
  });
}

// ---- Views

// Shows an element as the view, with its title.
function show(e, title) {
  const home = now.view === 'home', pictures = $('pictures');
  $('view').replaceChildren(e);
  if (pictures) pictures.hidden = !home;
  if (now.view !== 'kind' && $('kinds')) $('kinds').remove();
  document.title = (title ? visible(title, 100) + ' · ' : '') + pageTitle;
  if (arrived) { window.scrollTo(0, 0); const head = e.querySelector('h1'); if (head) head.focus({ preventScroll: true }); }
}
function showProblem(title, hints, note) {
  page = null;
  const box = h('article.problem', null, h('h1', { tabindex: -1 }, title), note && h('p', null, note),
    hints.length ? [h('p', null, note === undefined ? hints.length > 1 ? 'The nearest known names:' : 'The nearest known name:' : 'Where it is:'), h('ul', null, hints.map(([text, href]) => h('li', null, h('a', { href }, text))))] : null,
    h('p', null, h('a', { href: '#/' }, 'Overview'), ' ', h('a', { href: '#/reference' }, 'All kinds')));
  show(box, title);
  if (now.view === 'kind' && data.crds.length) { const crd = byName.get(now.crd); showKinds(crd || data.crds[0], crd ? crd.versions[0] : data.crds[0].versions[0]); }
}
const replace = hash => { history.replaceState(null, '', hash); route(); };
let arrived = false;
function route() {
  if (location.hash && !location.hash.startsWith('#/')) return;
  const to = parse(location.hash || '#/');
  now = to;
  $('bundle').value = to.r;
  $('channel').value = to.c;
  document.querySelectorAll('.views a').forEach(a => { if (a.dataset.view === to.view) a.setAttribute('aria-current', 'page'); else a.removeAttribute('aria-current'); });
  root.dataset.view = to.view;
  if (to.problem) showProblem(to.problem, to.hints);
  else if (to.view === 'home') showHome();
  else if (to.view === 'diff') showDiff(to);
  else if (to.view === 'clients') showClients(to);
  else if (to.view === 'graduation') showGraduation();
  else showKind(to);
  arrived = true;
}
function wire() {
  $('bundle').append(...R.map((x, i) => h('option', { value: i }, x.version + (x.unreleased ? ' (unreleased)' : ''))).reverse());
  $('channel').append(...C.map((x, i) => h('option', { value: i }, x)), ...(C.length > 1 ? [h('option', { value: BOTH }, 'both')] : []));
  if (C.length < 2) $('channel').parentNode.hidden = true;
  document.querySelector('.choose .noun').textContent = Noun();
  const needs = { diff: R.length > 1, clients: R.length > 1 && data.clients, graduation: data.graduation && data.graduation.rows.length };
  for (const view in needs) if (!needs[view]) document.querySelector(`[data-view=${view}]`).hidden = true;
  const chosen = () => {
    const r = +$('bundle').value, c = +$('channel').value, on = now.view === 'kind' && byName.get(now.crd);
    location.hash = on && now.version ? link(now.crd, now.version, now.path, r, c).slice(1) + (c === 0 ? (r === data.newest ? '?' : '&') + 'channel=' + C[0] : '') : '/reference' + query(r, c);
  };
  $('bundle').addEventListener('change', chosen);
  $('channel').addEventListener('change', chosen);
  window.addEventListener('hashchange', route);
  document.querySelector('.skip').addEventListener('click', e => { e.preventDefault(); $('main').focus(); });
  wireSearch();
  // Up and down move between rows, left and right close and open them.
  document.addEventListener('keydown', e => {
    const row = e.target.closest && e.target.closest('summary.row');
    if (!row || e.ctrlKey || e.metaKey || e.altKey) return;
    const rows = () => [...row.closest('article').querySelectorAll('summary.row')].filter(x => x.checkVisibility ? x.checkVisibility() : x.offsetParent), details = row.parentNode;
    let next = null;
    if (e.key === 'ArrowDown') next = rows()[rows().indexOf(row) + 1];
    else if (e.key === 'ArrowUp') next = rows()[rows().indexOf(row) - 1];
    else if (e.key === 'ArrowRight') { if (details.open) next = details.querySelector(':scope > ul.fields summary.row'); else details.open = true; }
    else if (e.key === 'ArrowLeft') { if (details.open) details.open = false; else { const up = details.parentNode.closest('details'); next = up && up.querySelector('summary.row'); } }
    else return;
    e.preventDefault();
    if (next) next.focus();
  });
  // All of the kind is printed.
  window.addEventListener('beforeprint', () => {
    if (page && page.view.isConnected) for (const x of page.rows.values()) { x.fill(); x.details.open = true; }
    document.querySelectorAll('.dcrd').forEach(e => { e.fill(); e.open = true; });
  });
}
function theme() {
  const button = $('theme'), query = matchMedia('(prefers-color-scheme: dark)');
  const store = (...a) => { try { return a.length ? localStorage.setItem('theme', a[0]) : localStorage.getItem('theme'); } catch { return null; } };
  const set = t => { if (t === 'dark' || t === 'light') root.dataset.theme = t; const dark = (root.dataset.theme || (query.matches ? 'dark' : 'light')) === 'dark'; button.setAttribute('aria-pressed', String(dark)); button.textContent = dark ? '☾' : '☀'; };
  set(store());
  query.addEventListener('change', () => set());
  button.addEventListener('click', () => { const t = button.getAttribute('aria-pressed') === 'true' ? 'light' : 'dark'; set(t); store(t); });
}

const find = (crd, version, path) => { const v = versionOf(byName.get(crd), version), nodes = v && trail(v, path || ''); return nodes ? nodes[nodes.length - 1] : null; };
window.site = {
  data: null, ready: null, difference, search: (text, limit) => search(text, limit).map(({ entry, ...x }) => ({ ...x, link: resultLink(x) })), node: find,
  schema(release, channel, crd, version) {
    const r = releaseIndex(release), c = typeof channel === 'number' ? channel : C.indexOf(channel), v = versionOf(byName.get(crd), version);
    return r >= 0 && c >= 0 && v && at(v.root.s, r, c) >= 0 ? rebuild(v.root, r, c) : null;
  },
};
theme();
window.site.ready = decode().then(json => {
  data = window.site.data = json;
  R = data.releases;
  C = data.channels;
  for (const crd of data.crds) byName.set(crd.name, crd);
  for (const x of data.graduation ? data.graduation.rows : []) { const key = x.crd + '\n' + (x.path || ''); if (!rowsOf.has(key)) rowsOf.set(key, []); rowsOf.get(key).push(x); }
  wire();
  route();
  if (window.requestIdleCallback) requestIdleCallback(() => { index = index || buildIndex(); });
  return true;
}, e => { $('view').textContent = `This browser cannot read the data of the page: ${e.message}`; throw e; });
})();
