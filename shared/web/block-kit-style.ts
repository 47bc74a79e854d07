/** The colours and measures of Slack's desktop client, as near as a style sheet without its fonts comes. */
export const BLOCK_KIT_STYLE = `
:root { --ground: #fff; --ink: #1d1c1d; --soft: #616061; --line: rgba(29,28,29,.13); --edge: rgba(29,28,29,.3); --link: #1264a3;
  --code: #c01343; --tint: rgba(29,28,29,.04); --mention: rgba(29,155,209,.1); --primary: #007a5a; --danger: #e01e5a; --shade: 0 0 0 1px rgba(29,28,29,.13), 0 18px 48px rgba(0,0,0,.22); }
[data-theme=dark] { --ground: #1a1d21; --ink: #d1d2d3; --soft: #ababad; --line: rgba(232,232,232,.13); --edge: rgba(232,232,232,.3); --link: #1d9bd1;
  --code: #e8912d; --tint: rgba(232,232,232,.05); --mention: rgba(29,155,209,.16); --shade: 0 0 0 1px rgba(232,232,232,.13), 0 18px 48px rgba(0,0,0,.7); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.467 Slack-Lato, Lato, 'Helvetica Neue', 'Segoe UI', Carlito, 'DejaVu Sans Condensed', 'DejaVu Sans', sans-serif; font-stretch: condensed; }
main { max-width: 47rem; padding: 12px 20px 16px; }
p { margin: 0; }
b { font-weight: 700; }
a { color: var(--link); text-decoration: none; }
.message { display: flex; gap: 8px; padding: 8px 0; }
.message + .message { border-top: 1px solid var(--line); margin-top: 10px; padding-top: 18px; }
.avatar, .avatar svg { width: 36px; height: 36px; flex: none; }
.body { min-width: 0; flex: 1; }
.sender { line-height: 1.2; margin-bottom: 2px; } .sender b { font-weight: 900; }
.app { background: var(--line); color: var(--soft); border-radius: 2px; font-size: 10px; font-weight: 700; padding: 1px 3px; margin: 0 6px 0 5px; vertical-align: 1px; }
.at { color: var(--soft); font-size: 12px; }
.body > *:not(.sender) { margin: 8px 0; }
.header { font-size: 18px; font-weight: 900; line-height: 1.33; margin: 8px 0 4px; overflow-wrap: anywhere; }
.rich, .section p { overflow-wrap: anywhere; } .rich p, .rich li span, .rich blockquote { white-space: pre-wrap; }
.row { display: flex; gap: 16px; justify-content: space-between; align-items: flex-start; }
.row .button { flex: none; }
blockquote { margin: 4px 0; padding: 0 0 0 12px; border-left: 4px solid var(--line); }
pre { margin: 4px 0; padding: 8px; background: var(--tint); border: 1px solid var(--line); border-radius: 4px; font: 12px/1.5 Monaco, Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
code { color: var(--code); background: var(--tint); border: 1px solid var(--line); border-radius: 3px; padding: 1px 3px; font: 12px/1.5 Monaco, Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
ul, ol { margin: 2px 0; padding-left: 26px; }
.emoji { width: 18px; height: 18px; vertical-align: -4px; }
.mention { color: var(--link); background: var(--mention); border-radius: 3px; padding: 0 2px 1px; }
.context { color: var(--soft); font-size: 13px; line-height: 1.38; } .context span + span { margin-left: 8px; }
.actions { display: flex; flex-wrap: wrap; gap: 8px; }
.button { display: inline-block; border: 1px solid var(--edge); border-radius: 8px; padding: 5px 12px; font-size: 13px; font-weight: 700; line-height: 18px; background: var(--ground); }
.button.primary { background: var(--primary); border-color: var(--primary); color: #fff; } .button.danger { background: var(--danger); border-color: var(--danger); color: #fff; }
.replies { display: flex; align-items: center; gap: 6px; font-size: 13px; color: var(--link); } .face, .face svg { width: 24px; height: 24px; }
hr { border: 0; border-top: 1px solid var(--line); }
.modal { width: 520px; margin: 16px auto; border-radius: 8px; background: var(--ground); box-shadow: var(--shade); }
.top { display: flex; align-items: center; gap: 12px; padding: 18px 24px; font-size: 20px; } .top b { font-weight: 900; flex: 1; overflow-wrap: anywhere; line-height: 1.25; } .x { color: var(--soft); font-size: 22px; line-height: 1; }
.inside { padding: 0 24px; } .inside > * { margin: 0 0 14px; }
.bottom { display: flex; justify-content: flex-end; gap: 12px; padding: 16px 24px 20px; } .bottom .button { padding: 8px 14px; font-size: 15px; }
.input b { display: block; margin-bottom: 6px; } .field { border: 1px solid var(--edge); border-radius: 4px; height: 36px; } .field.tall { height: 84px; } .hint { color: var(--soft); font-size: 13px; margin-top: 4px; }
`;
