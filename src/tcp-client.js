import {runRole} from './roles/run-role.js';

await runRole('client', 'tcp');
