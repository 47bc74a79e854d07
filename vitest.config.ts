import { defineConfig } from 'vitest/config';

const slow = ['test/cluster/**', 'test/browser/**', 'test/aws/**', 'test/package/**', 'test/architecture.test.ts'];

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['{functions,handlers,shared,test}/**/*.test.ts'], exclude: slow } },
      { test: { name: 'architecture', include: ['test/architecture.test.ts'] } },
      {
        test: {
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'aws',
          include: ['test/aws/**/*.test.ts'],
          globalSetup: ['test/aws/bed/start.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      { test: { name: 'package', include: ['test/package/**/*.test.ts'], testTimeout: 300_000 } },
    ],
  },
});
