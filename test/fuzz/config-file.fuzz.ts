import fc from 'fast-check';
import { parseConfig } from '../../main/auth/config-document.ts';
import { fuzzProperty } from './property.ts';

fuzzProperty('a configuration file of any text can be read', [fc.string({ unit: 'binary' })], (text) => {
  parseConfig(text);
});
