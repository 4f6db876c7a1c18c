export { type CallToolOptions, callTool } from '../testing/call-tool.js'
export { fakeAsk, fakeClock, fakeState } from '../testing/fakes.js'
