/** Style of a report: light or dark as the reader's machine is set, on screens of any width, and on paper. */
export const STYLE = `
:root { color-scheme: light dark; --canvas: #f7f7f8; --surface: #fff; --raised: #f0f0f3; --line: #dedfe4; --ink: #1b1c22;
  --muted: #5d6070; --accent: #4a3fd1; --good: #00754f; --bad: #b93a04; --live: #0062b0; --wait: #866000; --bad-tint: #fdf0ea; }
@media (prefers-color-scheme: dark) { :root { --canvas: #121318; --surface: #1a1b22; --raised: #24262f; --line: #32343f;
  --ink: #ecedf1; --muted: #a0a3b1; --accent: #a59dff; --good: #3fcf9b; --bad: #ff8f5c; --live: #6bb8ff; --wait: #e2b340;
  --bad-tint: #33201a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--canvas); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 .6rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .4rem; }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.1rem; margin-top: 1rem; }
p { margin: .4rem 0; overflow-wrap: anywhere; }
a { color: var(--accent); }
code, pre { font-family: ui-monospace, monospace; font-size: .85em; overflow-wrap: anywhere; }
pre { background: var(--raised); border-radius: 6px; padding: .6rem .75rem; margin: .5rem 0; overflow: auto; max-height: 26rem;
  white-space: pre-wrap; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--muted); padding: .2rem 0; }
th, td { text-align: left; vertical-align: top; padding: .35rem .9rem .35rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
thead th { color: var(--muted); font-size: .85rem; white-space: nowrap; }
tbody tr:last-child > * { border-bottom: 0; }
td.n, th.n { text-align: right; white-space: nowrap; }
tbody th { font-weight: 400; overflow-wrap: anywhere; }
th.name { min-width: 9rem; }
td.long { min-width: 18rem; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1.2rem; margin: .6rem 0 0; }
dt { color: var(--muted); } dd { margin: 0; overflow-wrap: anywhere; }
.muted { color: var(--muted); }
.finished { color: var(--good); } .failed { color: var(--bad); } .running { color: var(--live); }
.stopped, .skipped, .waiting, .created, .queued, .pending, .deleted { color: var(--muted); }
.status { font-weight: 600; }
.trouble { border-color: var(--bad); background: var(--bad-tint); }
.trouble pre { background: var(--surface); }
.chart { display: block; min-width: 34rem; width: 100%; height: auto; }
.chart text { fill: var(--ink); font: 12px system-ui, sans-serif; }
.chart .label { fill: var(--muted); }
.chart .box { fill: var(--raised); stroke: currentColor; stroke-width: 1.5; }
.chart .edge { fill: none; stroke: var(--muted); stroke-width: 1.2; }
.chart .inside { stroke-dasharray: 3 3; }
.chart .bar { fill: currentColor; }
.chart .grid { stroke: var(--line); }
figure { margin: 1rem 0 0; } figcaption { font-weight: 600; overflow-wrap: anywhere; margin-bottom: .3rem; }
figure img { max-width: 100%; max-height: 36rem; background: #fff; border: 1px solid var(--line); border-radius: 6px; padding: 4px; }
summary { cursor: pointer; color: var(--accent); padding: .3rem 0; }
footer { color: var(--muted); margin-top: 1.5rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 40rem) { main { padding: 1rem .6rem 3rem; } .card { padding: .8rem .75rem; border-radius: 8px; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; } dd { margin-bottom: .4rem; } }
@media print { body { background: #fff; } .card { break-inside: avoid; border-color: #bbb; } pre { max-height: none; } }
`;
