export { type CallToolOptions, callTool } from './call-tool.js'
export { fakeAsk, fakeClock, fakeState } from './fakes.js'
