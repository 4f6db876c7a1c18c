import { defineConfig } from 'vitest/config'

export default defineConfig({
  define: { __HAFT_VERSION__: '"0.0.0-source"' },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    typecheck: { enabled: true, include: ['src/**/*.test-d.ts'], tsconfig: 'tsconfig.json' },
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
