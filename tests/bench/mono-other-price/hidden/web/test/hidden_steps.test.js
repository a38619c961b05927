import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotCarried, loadTariffs, price } from '../src/price.js';

const COUNTRIES = { domestic: 'DE', europe: 'FR' };

for (const [zone, tariff] of Object.entries(loadTariffs())) {
  const country = COUNTRIES[zone];
  test(`limits of ${zone}`, () => {
    tariff.steps.forEach((step, n) => {
      assert.equal(price({ country, grams: step.grams }), step.cents);
      assert.equal(price({ country, grams: step.grams - 1 }), step.cents);
      const next = tariff.steps[n + 1];
      if (next) assert.equal(price({ country, grams: step.grams + 1 }), next.cents);
      else assert.throws(() => price({ country, grams: step.grams + 1 }), NotCarried);
    });
  });
}

test('no weight', () => {
  assert.throws(() => price({ country: 'DE', grams: 0 }), NotCarried);
  assert.throws(() => price({ country: 'DE', grams: NaN }), NotCarried);
});
