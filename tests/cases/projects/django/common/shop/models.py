from django.db import models


class Item(models.Model):
    price = models.IntegerField()
