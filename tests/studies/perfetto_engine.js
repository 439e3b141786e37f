// Runs the engine of Perfetto's own viewer, whose folder is the argument, under Node: requests of its
// protocol come in at standard input and replies go out at standard output, each after its length.
'use strict';

const fs = require('fs');
const path = require('path');

const folder = process.argv[2];
const end = process.exit.bind(process);
process.on('uncaughtException', (error) => {
  fs.writeSync(2, `${error}\n`);  // not the line, which is the whole engine
  end(1);
});
console.log = console.error;  // standard output is for replies

// The engine expects to be a browser's worker, and would take `process` for a sign that it is not.
globalThis.self = globalThis;
globalThis.WorkerGlobalScope = Object;
globalThis.location = {href: 'http://engine/'};
globalThis.XMLHttpRequest = class {
  open(method, name) {
    this.file = path.join(folder, name);
  }
  send() {
    this.response = new Uint8Array(fs.readFileSync(this.file)).buffer;
  }
};
delete globalThis.process;

const port = {
  postMessage(reply) {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(reply.length);
    const whole = Buffer.concat([length, reply]);
    for (let sent = 0; sent < whole.length;) sent += fs.writeSync(1, whole, sent);
  },
};

function read(size) {
  const buffer = Buffer.alloc(size);
  for (let got = 0; got < size;) {
    const count = fs.readSync(0, buffer, got, size - got);
    if (count === 0) end(0);
    got += count;
  }
  return buffer;
}

function serve() {
  for (;;) port.onmessage({data: new Uint8Array(read(read(4).readUInt32LE()))});
}

(0, eval)(fs.readFileSync(path.join(folder, 'engine_bundle.js'), 'utf8'));
self.onmessage({data: port});
setTimeout(serve, 0);  // its start takes no further turn of the event loop
