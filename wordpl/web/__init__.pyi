from .run import make_page as make_page
from .run import serve as serve
