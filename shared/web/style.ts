/** The page's style sheet: one column on a phone, system fonts, dark and light by the viewer's setting. Nothing is loaded from elsewhere. */
export const STYLE = `
:root { color-scheme: light dark;
  --ground: #f6f7f5; --sheet: #fff; --ink: #1c211d; --soft: #5c665e; --line: #d9ded8;
  --wrong: #a8321a; --wait: #8a5a00; --run: #1d5fa8; --well: #1f6f3d; --add: #e4f3e7; --cut: #fbe6e2; }
@media (prefers-color-scheme: dark) { :root {
  --ground: #131614; --sheet: #1c211d; --ink: #e8ece7; --soft: #9aa69c; --line: #353d37;
  --wrong: #ff8f75; --wait: #f0b955; --run: #7db7f5; --well: #79cf95; --add: #1d3524; --cut: #43221c; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 0 1rem 2rem; }
header { padding-top: 1.25rem; display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: baseline; }
h1 { font-size: 1.35rem; margin: 0; } h1 small { font-weight: 400; color: var(--soft); font-size: .9rem; margin-left: .5rem; }
h2 { font-size: .95rem; color: var(--soft); font-weight: 600; margin: 2rem 0 .6rem; }
h3 { font-size: 1.1rem; margin: 0 0 .75rem; line-height: 1.3; overflow-wrap: anywhere; }
h4 { font-size: .95rem; margin: 1.25rem 0 .4rem; }
.clusters { list-style: none; display: flex; flex-wrap: wrap; gap: .35rem .9rem; padding: 0; margin: 0; color: var(--soft); font-size: .9rem; width: 100%; align-items: center; }
.clusters li { display: inline-flex; flex-wrap: wrap; gap: .4rem; align-items: center; } .clusters form { display: flex; gap: .3rem; } .clusters button { min-height: 2rem; padding: .2rem .6rem; }
.notice { background: var(--cut); border-left: 4px solid var(--wrong); padding: .6rem .9rem; margin: 1rem 0 0; }
.quiet { color: var(--soft); }
article { background: var(--sheet); border: 1px solid var(--line); border-left: 5px solid var(--soft); border-radius: 6px; padding: 1rem 1.15rem; margin: 0 0 1rem; }
article.waits { border-left-color: var(--wrong); } article.runs { border-left-color: var(--run); } article.well { border-left-color: var(--well); } article.ill { border-left-color: var(--wait); }
.state { float: right; font-size: .85rem; margin-left: 1rem; color: var(--soft); }
dl.screen { display: grid; grid-template-columns: max-content 1fr; gap: .3rem .9rem; margin: 0; }
dl.screen dt { color: var(--soft); font-size: .9rem; } dl.screen dd { margin: 0; overflow-wrap: anywhere; }
.choices { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: 1rem; align-items: center; }
button { font: inherit; padding: .45rem .95rem; border-radius: 5px; border: 1px solid var(--line); background: var(--sheet); color: var(--ink); cursor: pointer; min-height: 2.6rem; }
button:hover { border-color: var(--soft); } button:focus-visible, summary:focus-visible, input:focus-visible, select:focus-visible, a:focus-visible { outline: 3px solid var(--run); outline-offset: 2px; }
button.first { background: var(--well); border-color: var(--well); color: var(--sheet); font-weight: 600; }
button.danger { color: var(--wrong); border-color: var(--wrong); } button[disabled] { opacity: .5; cursor: default; }
input[type=text], select { font: inherit; padding: .45rem .6rem; border: 1px solid var(--line); border-radius: 5px; background: var(--ground); color: var(--ink); flex: 1 1 12rem; min-width: 0; min-height: 2.6rem; } select { flex: 0 1 auto; max-width: 100%; }
details { margin-top: .8rem; } summary { cursor: pointer; color: var(--soft); padding: .25rem 0; }
ol.steps { padding-left: 1.4rem; } ol.steps > li { margin-bottom: .7rem; overflow-wrap: anywhere; }
pre, code { font: .85rem/1.45 ui-monospace, monospace; } pre { background: var(--ground); border: 1px solid var(--line); border-radius: 5px; padding: .5rem .7rem; overflow-x: auto; margin: .35rem 0; }
.diff { list-style: none; padding: .4rem .7rem; margin: .35rem 0; font: .85rem/1.5 ui-monospace, monospace; border: 1px solid var(--line); border-radius: 5px; }
.diff li { overflow-wrap: anywhere; } .diff del { background: var(--cut); text-decoration: none; } .diff ins { background: var(--add); text-decoration: none; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; } td, th { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
.scroll { overflow-x: auto; } .timeline td { overflow-wrap: anywhere; }
th { color: var(--soft); font-weight: 500; white-space: nowrap; }
.join { max-width: 34rem; padding-top: 3rem; } a { color: var(--run); }
.silences { list-style: none; padding: 0; margin: 0; } .silences li { display: flex; flex-wrap: wrap; gap: .4rem .9rem; align-items: center; padding: .4rem 0; border-bottom: 1px solid var(--line); } .silences span { flex: 1 1 20rem; overflow-wrap: anywhere; }
form.drills { margin-bottom: .5rem; }
.drills { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .5rem; padding: 0; }
.drills button { width: 100%; text-align: left; }
#answer { position: sticky; bottom: 0; margin: 0; background: var(--ink); color: var(--ground); padding: .6rem 1rem; } #answer:empty { display: none; }
.badge { font-size: .8rem; border: 1px solid var(--line); border-radius: 999px; padding: .05rem .6rem; color: var(--soft); }
@media (max-width: 34rem) { dl.screen { grid-template-columns: 1fr; gap: 0; } dl.screen dd { margin-bottom: .5rem; } .state { float: none; display: block; margin: 0 0 .3rem; } }
@media (prefers-reduced-motion: no-preference) { article { transition: border-color .3s; } }
`;
