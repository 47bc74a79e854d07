import { auditHead, auditLines } from '../adapters/sqlite/audit-log.ts';
import { readDatabase } from '../adapters/sqlite/database.ts';

import { verifyChain } from '../audit.ts';

/** Checks the audit log of a state file, also while a Gleaner runs on it. */
export function verifyAudit(file: string): { ok: boolean; because: string; unusable: boolean } {
  try {
    const sql = readDatabase(file);
    const verified = verifyChain(auditLines(sql), { head: auditHead(sql) });
    sql.close();
    if (!verified.ok)
      return {
        ok: false,
        unusable: false,
        because: `gleaner: the audit log of ${file} was tampered with: ${verified.because}`,
      };
    const because = `${verified.lines} lines, every one follows from the one before it; the last hash is ${verified.head}. Keep that hash elsewhere: whoever can write the whole file could also write a log that holds.`;
    return { ok: true, unusable: false, because };
  } catch (error) {
    return { ok: false, unusable: true, because: `gleaner: ${Object(error).message ?? String(error)}` };
  }
}
