import { accessSync, constants } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** Without these Chromium looks for its makers' servers at every start. */
const QUIET = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

const isThere = (path: string | undefined): path is string => {
  try {
    accessSync(path ?? '', constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The machine's own Chromium. Throws in one line that says how to get one. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = PLACES.find(isThere);
  if (executablePath === undefined) {
    throw new Error('test:browser needs Chromium: install it (Debian: apt-get install chromium), or set CHROMIUM_PATH');
  }
  return chromium.launch({ executablePath, args: QUIET });
}
