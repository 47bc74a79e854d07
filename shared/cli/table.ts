import { inWords, milliseconds } from '../duration.ts';
import { type Evidence, type Json, nameOf, type Plan, type Step } from '../handler.ts';
import { kubectlOf } from '../kubectl.ts';
import type { Finding, Report } from './report.ts';
import { harmless, labelled, styled, type Terminal } from './terminal.ts';

/** The report as somebody reads it at night: what is wrong, since when and why, what would be done, and what is not known. */
export function table(report: Report, what: string, terminal: Terminal): string {
  const at = report.at.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' UTC');
  const count = report.findings.length;
  const said = count === 0 ? 'nothing recognised' : `${count} fault${count === 1 ? '' : 's'} recognised`;
  const lines = [
    styled(terminal, 'bold', `${harmless(what)} at ${at}: ${said}`),
    ...report.findings.flatMap((finding, n) => ['', ...faultLines(finding, n + 1, report.at, terminal)]),
    '',
    ...healthLines(report, terminal),
    ...list('Not read', report.notCaptured.length === 0 ? [] : [notRead(report)], terminal),
    ...list('Warning', warningsOf(report), terminal),
  ];
  return `${lines.join('\n')}\n`;
}

const COLOURS = { certain: 'red', probable: 'yellow', suspected: 'cyan' } as const;

function faultLines(finding: Finding, n: number, at: string, terminal: Terminal): string[] {
  const { subject, confidence, cause, mode, summary, mayWait } = finding;
  const label = (name: string, text: string) => labelled(terminal, name, text);
  const badge = styled(terminal, ['bold', COLOURS[confidence]], confidence.toUpperCase());
  const since = finding.since === undefined ? [] : label('Since', sinceWords(finding.since, at));
  return [
    `${n}. ${badge} ${styled(terminal, 'dim', `${mode} / ${cause}`)}`,
    ...label('What', summary),
    ...label('Where', nameOf(subject)),
    ...since,
    ...label('Users', finding.users),
    ...label(mayWait.untilMorning ? 'May wait' : 'Act now', mayWait.because),
    ...label('Why', finding.because),
    ...finding.evidence.flatMap((evidence, k) => evidenceLines(evidence, k === 0 ? 'Evidence' : '', terminal)),
    ...finding.upstream.flatMap(({ issue, affected, fixedIn }, k) =>
      label(k === 0 ? 'Upstream' : '', `${issue}; affects ${affected}; fixed in ${fixedIn}`),
    ),
    ...(finding.refusal ? label('No fix', finding.refusal.because) : []),
    ...finding.plans.flatMap((plan) => planLines(plan, terminal)),
    ...(finding.prevention ? label('Prevent', finding.prevention) : []),
  ];
}

function sinceWords(since: string, at: string): string {
  const past = Date.parse(at) - Date.parse(since);
  const ago = past >= milliseconds('1s') ? ` (${inWords(past)} before the picture)` : '';
  return `${since.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' UTC')}${ago}`;
}

/** What it means first, then what stood there, cut to a line: `-o json` has all of it. */
function evidenceLines({ object, field, value, because }: Evidence, label: string, terminal: Terminal): string[] {
  const seen = harmless(`${nameOf(object)} ${field} = ${shown(value)}`);
  const room = Math.max(MIN_ROOM, terminal.width - 16);
  const short = seen.length > room ? `${seen.slice(0, room - 1)}…` : seen;
  return [
    ...labelled(terminal, label, `- ${because}`, { hang: 2 }),
    `${' '.repeat(16)}${styled(terminal, 'dim', short)}`,
  ];
}

const MIN_ROOM = 30;

const shown = (value: Json) => (typeof value === 'string' && value !== '' ? value : JSON.stringify(value));

function planLines(plan: Plan, terminal: Terminal): string[] {
  const label = (name: string, text: string) => labelled(terminal, name, text);
  const undo = `${plan.undo.offered ? 'offered later' : 'not offered'}: ${plan.undo.because}`;
  return [
    ...label('Plan', `${plan.title} (risk ${plan.risk}${plan.stopgap ? ', stopgap: the cause stays' : ''})`),
    ...label('Does', plan.does),
    ...label('Moves', plan.blastRadius),
    ...label('Undo', plan.irreversible ?? undo),
    ...plan.steps.flatMap((step, n) => stepLines(step, n === 0 ? 'Steps' : '', `${n + 1}. `, terminal)),
    ...plan.onFailure.flatMap((step, n) => stepLines(step, n === 0 ? 'On failure' : '', `${n + 1}. `, terminal)),
  ];
}

function stepLines(step: Step, label: string, number: string, terminal: Terminal): string[] {
  const command = step.do === 'ask' ? step.command : kubectlOf(step);
  return [
    ...labelled(terminal, label, `${number}${stepWords(step)}`, { hang: number.length }),
    // On one line whatever its length, so that it can be copied.
    ...(command === undefined ? [] : [`${' '.repeat(17)}${styled(terminal, 'green', `$ ${harmless(command)}`)}`]),
  ];
}

function stepWords(step: Step): string {
  const target = nameOf(step.target);
  switch (step.do) {
    case 'wait':
      return `wait, at most ${step.deadline}, for ${target}: ${step.because}`;
    case 'ask':
      return `somebody: ${step.what} (${step.because})`;
    case 'call':
      return `${step.subresource} ${target}: ${step.because}`;
    case 'patch':
    case 'delete':
    case 'restart':
      return `${step.do} ${target}: ${step.because}`;
  }
}

/** What was looked at and is well, one line per mode: `-o json` names every subject with its reason. */
function healthLines({ refused }: Report, terminal: Terminal): string[] {
  const modes = Map.groupBy(refused, ({ mode }) => mode);
  return [...modes].flatMap(([mode, all]) => {
    const [first] = all;
    if (!first) return [];
    const more = all.length > 1 ? ` (and ${all.length - 1} more)` : '';
    return labelled(terminal, 'Not this', `${mode}: ${nameOf(first.subject)}: ${first.because}${more}`, { indent: 0 });
  });
}

const notRead = ({ notCaptured }: Report) =>
  `${notCaptured.join(', ')}: not captured, so the rules that need them say less`;

/** How many warnings the table shows. */
const WARNINGS = 12;

function warningsOf({ warnings }: Report): string[] {
  const more = warnings.length - WARNINGS;
  const lines = warnings.slice(0, WARNINGS).map(({ where, because }) => `${where}: ${because}`);
  return more > 0 ? [...lines, `and ${more} more, which -o json lists`] : lines;
}

const list = (label: string, texts: readonly string[], terminal: Terminal) =>
  texts.flatMap((text) => labelled(terminal, label, text, { indent: 0 }));
