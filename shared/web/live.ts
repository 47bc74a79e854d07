/**
 * The page's only script: redraws what changed without a reload, sends clicks, and shows the viewer's own time beside UTC.
 * What a person has unfolded, typed or focused stays as it is over a redraw.
 */
export const LIVE = `
const main = document.querySelector('main');
const answer = document.getElementById('answer');
const keyOf = (element) => element && (element.id || element.dataset.key);

function remember() {
  return {
    open: [...document.querySelectorAll('details[open]')].map(keyOf),
    typed: Object.fromEntries([...document.querySelectorAll('input[type=text], select')].map((e) => [e.id, e.value])),
    focus: keyOf(document.activeElement), scroll: scrollY,
  };
}
function restore({ open, typed, focus, scroll }) {
  for (const e of document.querySelectorAll('details')) if (open.includes(keyOf(e))) e.open = true;
  for (const e of document.querySelectorAll('input[type=text], select')) if (typed[e.id]) e.value = typed[e.id];
  if (focus) (document.getElementById(focus) || document.querySelector('[data-key="' + CSS.escape(focus) + '"]'))?.focus({ preventScroll: true });
  scrollTo(0, scroll);
}
function localTimes() {
  for (const e of document.querySelectorAll('time[datetime]')) {
    const at = new Date(e.getAttribute('datetime'));
    e.title = at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
    if (e.dataset.zone !== undefined && at.getTimezoneOffset() !== 0) e.querySelector('.zone').textContent = at.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' });
  }
}
let drawing = false, again = false, quiet;
async function draw() {
  if (drawing) { again = true; return; }
  drawing = true;
  try {
    const response = await fetch('/fragment', { headers: { accept: 'text/html' } });
    if (response.status === 401) { location.reload(); return; }
    const text = await response.text();
    const kept = remember();
    main.innerHTML = text;
    restore(kept);
    localTimes();
  } catch { answer.textContent = 'Gleaner does not answer. This page goes on by itself when it is back.'; }
  finally { drawing = false; if (again) { again = false; draw(); } }
}
document.addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = event.target;
  const body = Object.fromEntries(new FormData(form, event.submitter));
  if (event.submitter?.dataset.confirm && !confirm(event.submitter.dataset.confirm)) return;
  for (const b of form.querySelectorAll('button')) b.disabled = true;
  answer.textContent = 'Asking …';
  const response = await fetch(form.action, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const said = await response.json().catch(() => ({ because: 'Gleaner answered ' + response.status }));
  if (said.ok) for (const e of form.querySelectorAll('input[type=text]')) e.value = '';
  answer.textContent = (said.ok ? 'Done: ' : 'Not done: ') + said.because;
  clearTimeout(quiet);
  quiet = setTimeout(() => { answer.textContent = ''; }, 15000);
  draw();
});
const live = new EventSource('/live');
live.onmessage = draw;
live.onopen = () => { answer.textContent = ''; draw(); };
live.onerror = () => { answer.textContent = 'Gleaner does not answer. This page goes on by itself when it is back.'; };
localTimes();
`;
