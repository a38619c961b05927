from django.test import TestCase

import a_package_that_nobody_has
