/**
 * A task of 12 steps on the site of the tests. `act` is for actions on the current page, `go` for actions that open another one;
 * `find` returns the reference of an element.
 *
 * @typedef {import('./browser-drivers.mjs').Action} Action
 * @typedef {{ act: (action: Action) => Promise<void>, go: (action: Action) => Promise<void>, find: (text: string) => Promise<string> }} Task
 * @typedef {{ name: string, expected: string, run: (task: Task) => Promise<void> }} Step
 */

/**
 * @param {string} base the address of the site
 * @returns {readonly Step[]}
 */
export const createBrowserTask = (base) => [
  {
    ...{ name: 'open the shop', expected: 'Cart: 0 items' },
    run: ({ go }) => go({ type: 'open', url: `${base}/` }),
  },
  {
    ...{ name: 'search for a product', expected: '1 results' },
    run: async ({ go, find }) => go({ type: 'search', ref: await find('textbox "Search"'), text: '17' }),
  },
  { name: 'go back', expected: 'Cart: 0 items', run: ({ go }) => go({ type: 'back' }) },
  {
    ...{ name: 'put a product into the cart', expected: 'Cart: 1 items' },
    run: async ({ act, find }) => act({ type: 'click', ref: await find('button "Add Product 17"') }),
  },
  {
    ...{ name: 'check the request', expected: '/cart?id=17' },
    run: ({ act }) => act({ type: 'requests', filter: 'cart' }),
  },
  {
    ...{ name: 'follow the link to the form', expected: 'textbox "Remarks"' },
    run: async ({ go, find }) => go({ type: 'click', ref: await find('link "Sign up"') }),
  },
  {
    ...{ name: 'fill in the form', expected: 'Ann' },
    run: async ({ act, find }) => {
      /** @param {'textbox' | 'combobox' | 'checkbox'} type @param {string} name @param {string | boolean} value */
      const field = async (type, name, value) => ({ type, name, value, ref: await find(`${type} "${name}"`) })
      const fields = [
        await field('textbox', 'Name', 'Ann'),
        await field('combobox', 'Country', 'Chile'),
        await field('checkbox', 'Newsletter', true),
        await field('textbox', 'Remarks', 'none'),
      ]
      await act({ type: 'fill', fields })
    },
  },
  {
    ...{ name: 'send the form', expected: 'name=Ann&country=Chile&news=yes&remarks=none' },
    run: async ({ go, find }) => go({ type: 'click', ref: await find('button "Create account"') }),
  },
  {
    ...{ name: 'follow the link to a single-page app', expected: 'Order 8' },
    run: async ({ go, find }) => go({ type: 'click', ref: await find('link "Orders"') }),
  },
  {
    ...{ name: 'open an order', expected: 'Cancel order' },
    run: async ({ act, find }) => act({ type: 'click', ref: await find('link "Order 8"') }),
  },
  {
    ...{ name: 'cancel the order and wait', expected: 'Order 8 was cancelled' },
    run: async ({ act, find }) => {
      await act({ type: 'click', ref: await find('button "Cancel order"') })
      await act({ type: 'wait', text: 'was cancelled' })
    },
  },
  {
    ...{ name: 'confirm a dialog', expected: 'deleted' },
    run: async ({ act, go, find }) => {
      await go({ type: 'open', url: `${base}/dialogs` })
      await act({ type: 'click', ref: await find('button "Delete"') })
      await act({ type: 'accept' })
    },
  },
]
