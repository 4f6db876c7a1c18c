/**
 * What the scripted model of `haft demo` says: one entry for each request. An entry is a text, a turn with `text`,
 * `thinking` and `calls`, or a function that looks at the request and gives one of them. Everything else in the demo is
 * real: the tools, the questions, the hook, the MCP server and the files.
 *
 * Run it by hand in a project of your own: haft -p "…" --model scripted:path/to/script.mjs
 */
export const script = {
  id: 'scripted-demo',
  turns: [
    {
      text: 'I read the code and its test at once, and look for other callers meanwhile.',
      calls: [
        { name: 'Read', input: { file_path: 'src/cart.js' } },
        { name: 'Read', input: { file_path: 'src/discounts.js' } },
        { name: 'Read', input: { file_path: 'test/cart.test.js' } },
        { name: 'Grep', input: { pattern: 'discountFor', output_mode: 'content' } },
      ],
    },
    {
      text: 'The discount is taken off twice in src/cart.js. I take out the second time.',
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
      text: 'Does the test agree? And the price list wants a currency.',
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
      text: 'The tests pass. A hook of the project keeps me from generated files, so that the script would have to change: that can wait. How large is the damage? I print the orders of the year.',
      calls: [{ name: 'Bash', input: { command: 'node scripts/report.js', description: 'Print all orders' } }],
    },
    (request) => ({
      text: 'That is more than I should read at once: Haft kept it in a file. I search that for the largest orders.',
      calls: [
        { name: 'Grep', input: { pattern: 'total 99\\.9', path: keptFile(request), output_mode: 'count' } },
        { name: 'ToolSearch', input: { query: 'send a message to the team chat' } },
      ],
    }),
    {
      text: 'The office server has what I need, and I was told of it only now.',
      calls: [
        {
          name: 'mcp__office__send_message',
          input: { subject: '#shop', text: 'The discount was taken off twice. Fixed, with a test.' },
        },
      ],
    },
    'Fixed: `src/cart.js` took the discount off twice. The test passes now, `generated/prices.js` was left alone because a hook guards it, and the team knows.',
  ],
}

/** The file that a long result was written to, as the model is told. */
function keptFile({ messages }) {
  const text = JSON.stringify(messages.at(-1))
  return /\/[^\s"\\]+\.txt/.exec(text)?.[0] ?? 'no file was named'
}
