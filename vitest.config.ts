import { defineConfig } from 'vitest/config'

export default defineConfig({
  define: { __HAFT_VERSION__: '"0.0.0-source"' },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    typecheck: { enabled: true, include: ['src/**/*.test-d.ts'], tsconfig: 'tsconfig.json' },
    // Tests often run as root in a container, where bypassing permissions is refused otherwise.
    env: { HAFT_SANDBOX: '1' },
    setupFiles: ['test/lib/property-seed.ts'],
    testTimeout: 180_000,
    hookTimeout: 120_000,
    // Programs that a test waits for may be slow to start.
    expect: { poll: { timeout: 60_000 } },
    // Most of the time goes to programs that tests start and wait for.
    maxWorkers: '100%',
  },
})
