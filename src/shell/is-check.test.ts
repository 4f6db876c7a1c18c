import { expect, test } from 'vitest'
import { analyseCommand } from './analyse-command.js'
import { isCheck } from './is-check.js'

const isCheckText = (text: string) => isCheck(analyseCommand(text, { cwd: '/project' }))

test.each([
  ...[
    'npm test',
    'npm t',
    'npm run lint',
    'npm run test:unit',
    'npm --prefix web run type-check',
    'npm run format:check',
  ],
  ...[
    'npx eslint .',
    'npx -y tsc --noEmit',
    'npx tsc -p . | tail -20',
    './node_modules/.bin/eslint src',
    'npx biome ci',
  ],
  ...['yarn eslint src', 'pnpm --filter web test', 'pnpm exec vitest run', 'bun test', 'node --test'],
  ...['pytest -q', 'python3 -m pytest', 'uv run mypy .', 'ruff check .', 'cargo test', 'cargo clippy', 'go vet ./...'],
  ...['make test', 'make -C lib lint check', './gradlew test', 'bundle exec rspec', 'CI=1 npm test 2>&1 | tail -5'],
  ...['timeout 60 npm test', 'cd web && npm test', 'npm test; npm run lint', 'npm test > log'],
])('%s is recognised as a check, such as a test or a linter', (text) => {
  expect(isCheckText(text)).toBe(true)
})

test.each([
  ...['npm install', 'npm run build', 'npm run lint:fix', 'npm run deploy:test', 'npx eslint --fix .', 'npx jest -u'],
  ...['npx biome check --write', 'npx biome format', 'prettier --write .', 'yarn add eslint', 'npm publish', 'npx'],
  ...['make', 'make clean test', 'cargo build', 'cargo run test', 'go generate', 'node test.js', 'python3 -m build'],
  ...['npm test && git push', 'mkdir a && npm test', 'git commit -m test', 'cat a', 'cd web', 'npm test $(', ''],
  ...['$X test', 'eval "$(x)"; npm test', 'npm run test:update', 'constructor test'],
])('%s is not recognised as a check', (text) => {
  expect(isCheckText(text)).toBe(false)
})
