/**
 * Scenes of an interactive session. `play` types and waits until the picture can be drawn.
 * @typedef {import('../../test/terminal/pty-terminal.mjs').PtyTerminal} PtyTerminal
 * @typedef {object} Scene
 * @property {string} name
 * @property {readonly unknown[]} [turns] the responses of the scripted model
 * @property {Record<string, unknown>} [script] other properties of the script
 * @property {Record<string, string>} [files]
 * @property {readonly string[]} [args]
 * @property {boolean} [isTrusted]
 * @property {readonly string[]} [earlierPrompts] the prompts of sessions that have already ended
 * @property {(terminal: PtyTerminal) => Promise<void>} play
 */

const CART = `import { discountFor } from './discounts.js'

export function totalOf(cart) {
  const sum = cart.items.reduce((total, { price, count }) => total + price * count, 0)
  const discounted = sum * (1 - discountFor(cart.customer))
  return roundToCents(discounted * (1 - discountFor(cart.customer)))
}

function roundToCents(amount) {
  return Math.round(amount * 100) / 100
}
`
const READ_CART = { name: 'Read', input: { file_path: 'src/cart.js' } }
const EDIT_CART = {
  name: 'Edit',
  input: {
    file_path: 'src/cart.js',
    old_string: '  return roundToCents(discounted * (1 - discountFor(cart.customer)))',
    new_string: '  return roundToCents(discounted)',
  },
}
const files = {
  'src/cart.js': CART,
  'src/discounts.js': 'export const discountFor = (customer) => (customer.isMember ? 0.1 : 0)\n',
}
/** @param {string} command @param {string} [description] */
const createBashCall = (command, description) => ({
  name: 'Bash',
  input: { command, ...(description && { description }) },
})

const ANSWER = `## What is wrong

The total is too low for members, because \`totalOf\` applies the discount **twice**:

1. \`discounted\` is already the sum without the discount.
2. The last line multiplies by \`1 - discountFor(customer)\` again.

\`\`\`js
export function totalOf(cart) {
  const sum = cart.items.reduce((total, { price, count }) => total + price * count, 0)
  // The discount is applied once.
  return roundToCents(sum * (1 - discountFor(cart.customer)))
}
\`\`\`

| customer | sum | total before | total now |
| --- | ---: | ---: | ---: |
| guest | 20.00 | 20.00 | 20.00 |
| member | 20.00 | 16.20 | 18.00 |

> Orders of members since March are affected, see [the report](https://example.com/report).

- [x] fix the function
- [ ] add a test
`

const PLAN = `# Apply the discount once

1. Remove the second factor in \`src/cart.js\`.
2. Add a test with a member and a guest.
3. Run the tests.

Nothing else calls \`discountFor\`.
`

const NEW_TASKS = [
  { subject: 'Read the code', activeForm: 'Reading the code' },
  { subject: 'Remove the second discount', activeForm: 'Removing the second discount' },
  { subject: 'Add a test', activeForm: 'Adding a test' },
]

/** @type {readonly Scene[]} */
export const SCENES = [
  {
    name: 'first-start',
    isTrusted: false,
    play: (terminal) => terminal.waitFor('Do you trust'),
  },
  {
    name: 'prompt',
    play: async (terminal) => {
      await terminal.waitFor('asks before changes')
      terminal.type('/')
      await terminal.waitFor('/context')
    },
  },
  {
    name: 'help',
    play: async (terminal) => {
      await terminal.waitFor('asks before changes')
      terminal.type('/help\r')
      await terminal.waitFor('Ctrl+C twice')
    },
  },
  {
    name: 'context',
    turns: ['Hello.'],
    args: ['Say hello'],
    play: async (terminal) => {
      await terminal.waitFor('of context')
      terminal.type('/context\r')
      await terminal.waitFor('Built-in tools')
    },
  },
  {
    name: 'streaming',
    turns: [ANSWER],
    script: { pauseMs: 15, pieceLength: 6 },
    args: ['Why is the total too low for members?'],
    play: (terminal) => terminal.waitFor('// The discount is'),
  },
  {
    name: 'answer',
    turns: [ANSWER],
    args: ['Why is the total too low for members?'],
    play: (terminal) => terminal.waitFor('of context'),
  },
  {
    name: 'parallel-reads',
    files: Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`src/part-${index}.js`, CART])),
    turns: [
      {
        text: 'I will read all parts at once.',
        calls: Array.from({ length: 10 }, (_, index) => ({
          name: 'Read',
          input: { file_path: `src/part-${index}.js` },
        })),
      },
      {
        text: 'And search them.',
        calls: [{ name: 'Grep', input: { pattern: 'discount' } }, createBashCall('ls -l src')],
      },
      'All parts are the same.',
    ],
    args: ['Compare the parts'],
    play: (terminal) => terminal.waitFor('of context'),
  },
  {
    name: 'edit-dialog',
    files,
    turns: [{ calls: [READ_CART] }, { text: 'I will remove the second discount.', calls: [EDIT_CART] }, 'Fixed.'],
    args: ['Fix the total'],
    play: (terminal) => terminal.waitFor('Allow this call?'),
  },
  {
    name: 'edit-done',
    files,
    turns: [
      { calls: [READ_CART] },
      { text: 'I will remove the second discount.', calls: [EDIT_CART] },
      'The discount is applied **once** now.',
    ],
    args: ['Fix the total'],
    play: async (terminal) => {
      await terminal.waitFor('Allow this call?')
      terminal.type('1')
      await terminal.waitFor('of context')
    },
  },
  {
    name: 'command-dialog',
    files,
    turns: [
      {
        text: 'I will install and test.',
        calls: [createBashCall('npm install && node --test && rm -rf coverage', 'Install and test')],
      },
      'Done.',
    ],
    args: ['Run the tests'],
    play: (terminal) => terminal.waitFor('Allow this call?'),
  },
  {
    name: 'long-output',
    turns: [
      { text: 'I will count.', calls: [createBashCall('seq -f "test %g passed" 1 400; sleep 30', 'Run all tests')] },
      'All tests pass.',
    ],
    args: ['--allowed-tools', 'Bash', '--', 'Run the tests'],
    play: (terminal) => terminal.waitFor('test 400 passed'),
  },
  {
    name: 'long-output-done',
    turns: [
      { text: 'I will run the tests.', calls: [createBashCall('seq -f "test %g passed" 1 400', 'Run all tests')] },
      {
        text: 'One fails without the network.',
        calls: [createBashCall('echo "Error: no network" >&2; exit 3', 'Run online tests')],
      },
      'All but the online tests pass.',
    ],
    args: ['--allowed-tools', 'Bash', '--', 'Run the tests'],
    play: (terminal) => terminal.waitFor('of context'),
  },
  {
    name: 'sub-agents',
    files,
    turns: [
      {
        text: 'Two agents look at it.',
        calls: ['the cart', 'the discounts'].map((part) => ({
          name: 'Agent',
          input: {
            description: `Review ${part}`,
            prompt: `Review ${part} and report.`,
            subagent_type: 'general-purpose',
          },
        })),
      },
      'Both are fine.',
    ],
    script: {
      conversations: [
        {
          opening: 'Review the cart',
          turns: [
            { calls: [READ_CART] },
            { calls: [createBashCall('sleep 30', 'Run the tests of the cart')] },
            'The cart is fine.',
          ],
        },
        {
          opening: 'Review the discounts',
          turns: [{ calls: [createBashCall('sleep 30', 'Wait for the linter')] }, 'The discounts are fine.'],
        },
      ],
    },
    args: ['--allowed-tools', 'Bash', '--', 'Review it'],
    play: (terminal) => terminal.waitFor(/Review the cart[\s\S]*2 calls/),
  },
  {
    name: 'tasks',
    files,
    turns: [
      { calls: NEW_TASKS.map((task) => ({ name: 'TaskCreate', input: { ...task, description: 'As discussed.' } })) },
      {
        calls: [
          { name: 'TaskUpdate', input: { taskId: '1', status: 'completed' } },
          { name: 'TaskUpdate', input: { taskId: '2', status: 'in_progress' } },
        ],
      },
      { calls: [createBashCall('sleep 30', 'Run the tests')] },
      'Done.',
    ],
    args: ['--allowed-tools', 'Bash', '--', 'Fix the total and add a test'],
    play: async (terminal) => {
      await terminal.waitFor('○ Bash')
      terminal.type('and update the changelog\t')
      await terminal.waitFor(/queued.*: and update/)
    },
  },
  {
    name: 'plan',
    files,
    turns: [{ calls: [READ_CART] }, { calls: [{ name: 'ExitPlanMode', input: { plan: PLAN } }] }, 'Done.'],
    args: ['--permission-mode', 'plan', 'Plan the fix'],
    play: (terminal) => terminal.waitFor('Approve this plan?'),
  },
  {
    name: 'question',
    turns: [
      {
        calls: [
          {
            name: 'AskUserQuestion',
            input: {
              questions: [
                {
                  question: 'Which test runner should the new tests use?',
                  header: 'Runner',
                  multiSelect: false,
                  options: [
                    { label: 'node:test', description: 'No dependency, used by the other tests' },
                    { label: 'vitest', description: 'Faster in watch mode, one more dependency' },
                  ],
                },
              ],
            },
          },
        ],
      },
      'Good.',
    ],
    args: ['Add tests'],
    play: (terminal) => terminal.waitFor('Which test runner'),
  },
  {
    name: 'interrupted',
    turns: [{ text: 'I will wait.', calls: [createBashCall('sleep 60', 'Wait')] }, 'Never said.'],
    args: ['--allowed-tools', 'Bash', '--', 'Wait a minute'],
    play: async (terminal) => {
      await terminal.waitFor('○ Bash')
      terminal.type('\u001b')
      await terminal.waitFor('You interrupted')
    },
  },
  {
    name: 'resume-picker',
    turns: [ANSWER],
    earlierPrompts: ['Why is the total too low for members?', 'Explain how discounts work', 'Add a test for guests'],
    args: ['--resume'],
    play: (terminal) => terminal.waitFor('type to filter'),
  },
  {
    name: 'transcript',
    files,
    turns: [{ thinking: 'Look first.', text: 'I will look.', calls: [READ_CART] }, ANSWER],
    args: ['Why is the total too low for members?'],
    play: async (terminal) => {
      await terminal.waitFor('of context')
      terminal.type('\u000f')
      await terminal.waitFor('Transcript ·')
    },
  },
]
