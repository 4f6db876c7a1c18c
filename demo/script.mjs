/**
 * The responses of the scripted model in `haft demo`, one entry per request. An entry is a text, a turn with `text`,
 * `thinking` and `calls`, or a function that receives the request and returns one of these. Everything else in the demo
 * is real: the tools, the permission questions, the hook, the MCP server and the files.
 *
 * Run it by hand in a project of your own: haft -p "…" --model scripted:path/to/script.mjs
 */
export const script = {
  id: 'scripted-demo',
  turns: [
    {
      text: 'I will read the code and its test, and search for other callers in parallel.',
      calls: [
        { name: 'Read', input: { file_path: 'src/cart.js' } },
        { name: 'Read', input: { file_path: 'src/discounts.js' } },
        { name: 'Read', input: { file_path: 'test/cart.test.js' } },
        { name: 'Grep', input: { pattern: 'discountFor', output_mode: 'content' } },
      ],
    },
    {
      text: 'src/cart.js applies the discount twice. I will remove the second one.',
      calls: [
        {
          name: 'Edit',
          input: {
            file_path: 'src/cart.js',
            old_string: 'return roundToCents(discounted * (1 - discountFor(cart.customer)))',
            new_string: 'return roundToCents(discounted)',
          },
        },
      ],
    },
    {
      text: 'Now I will run the tests and add the missing currency to the price list.',
      calls: [
        { name: 'Bash', input: { command: 'node --test', description: 'Run the tests' } },
        {
          name: 'Write',
          input: {
            file_path: 'generated/prices.js',
            content: "export const PRICES = { currency: 'EUR', apple: 0.4 }\n",
          },
        },
      ],
    },
    {
      text: 'The tests pass. A project hook blocks changes to generated files, so I will leave that file alone. To estimate the damage, I will print all orders of the year.',
      calls: [{ name: 'Bash', input: { command: 'node scripts/report.js', description: 'Print all orders' } }],
    },
    (request) => ({
      text: 'The output is too long, so Haft saved it to a file. I will search it for the largest orders, and look for a tool to message the team.',
      calls: [
        { name: 'Grep', input: { pattern: 'total 99\\.9', path: findSavedFile(request), output_mode: 'count' } },
        { name: 'ToolSearch', input: { query: 'send a message in the office chat' } },
      ],
    }),
    {
      text: 'The office server has a suitable tool, which was loaded on demand.',
      calls: [
        {
          name: 'mcp__office__send_message',
          input: { subject: '#shop', text: 'The discount was applied twice. Fixed, and the test passes.' },
        },
      ],
    },
    'Fixed: `src/cart.js` applied the discount twice. The test passes, `generated/prices.js` is unchanged because a hook protects it, and the team is informed.',
  ],
}

/** Finds the path of the file with the long result in the last message. */
function findSavedFile({ messages }) {
  const text = JSON.stringify(messages.at(-1))
  return /\/[^\s"\\]+\.txt/.exec(text)?.[0] ?? 'no file was named'
}
