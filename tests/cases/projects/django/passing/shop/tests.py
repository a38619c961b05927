import time

from django.test import TestCase

from shop.models import Item


class ItemTest(TestCase):
    def test_one(self):
        self.assertEqual(Item.objects.count(), 0)

    def test_two(self):
        Item.objects.create(price=3)
        self.assertEqual(Item.objects.get().price, 3)
