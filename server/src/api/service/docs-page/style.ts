/** Style of the page: light or dark as the reader's machine is set, narrow or wide. */
export const STYLE = `
:root { --ink: #1c2430; --faint: #586273; --paper: #ffffff; --shade: #f3f5f8; --line: #d8dde5; --link: #0b57a4;
  --GET: #116329; --POST: #8a4600; --PUT: #0b57a4; --DELETE: #a40e26; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e8ef; --faint: #a0abba; --paper: #12161c; --shade: #1b212a;
  --line: #333c49; --link: #7db7f5; --GET: #6fce87; --POST: #f0b072; --PUT: #7db7f5; --DELETE: #ff9aa5; } }
* { box-sizing: border-box; }
html { scroll-behavior: auto; scroll-padding-top: 1rem; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 16px/1.55 system-ui, sans-serif; }
a { color: var(--link); text-decoration: none; }
main p a, a:hover, a:focus { text-decoration: underline; }
main { max-width: 62rem; padding: 1.5rem 2rem 6rem; }
h1 { font-size: 1.9rem; margin: 0 0 .5rem; }
h2 { font-size: 1.25rem; margin: 2rem 0 .4rem; }
h2.group { font-size: 1.5rem; margin-top: 3.5rem; border-bottom: 2px solid var(--line); padding-bottom: .3rem; }
h3 { font: 600 1.05rem/1.4 ui-monospace, monospace; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h3 a { color: inherit; }
h4 { font-size: 1rem; margin: 1rem 0 .3rem; }
section { padding: 1.6rem 0; border-bottom: 1px solid var(--line); }
section:target h3 { background: var(--shade); }
code, pre { font: .9em ui-monospace, monospace; }
code { background: var(--shade); border-radius: 3px; padding: .05em .3em; overflow-wrap: anywhere; }
pre { background: var(--shade); border: 1px solid var(--line); border-radius: 6px; padding: .7rem .9rem; overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; width: 100%; margin: .6rem 0; }
th { text-align: left; color: var(--faint); font-weight: 600; font-size: .85rem; }
th, td { padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: anywhere; }
td:first-child { min-width: 9rem; }
summary { cursor: pointer; font-weight: 600; padding: .3rem 0; }
b.GET { color: var(--GET); } b.POST { color: var(--POST); } b.PUT { color: var(--PUT); } b.DELETE { color: var(--DELETE); }
nav { padding: 1.5rem 1rem 2rem 1.5rem; font-size: .85rem; border-bottom: 1px solid var(--line); }
nav p { font-weight: 700; margin: 0; font-size: 1rem; }
nav h2 { font-size: .8rem; color: var(--faint); margin: 1.2rem 0 .3rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: .15rem 0; color: var(--ink); overflow-wrap: anywhere; }
nav b { display: inline-block; width: 4.2em; font: 600 .78rem ui-monospace, monospace; }
@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 20rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border-bottom: 0; border-right: 1px solid var(--line); }
}
@media (max-width: 40rem) { main { padding: 1rem; } table, tbody, tr, td { display: block; } thead { display: none; }
  td { border: 0; padding: .1rem 0; } tr { border-bottom: 1px solid var(--line); padding: .4rem 0; display: block; } }
`;
